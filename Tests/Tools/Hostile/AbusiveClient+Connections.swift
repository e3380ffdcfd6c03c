extension AbusiveClient {
  /// Abuse of connections, heads and framing.
  static let connections: [AbusiveClient] = [
    AbusiveClient(name: "slow-heads", threads: 1) { target in
      target.hold(200) { connection, _ in
        connection.send("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
      } _: {
        $0.send("a")
      }
    },
    AbusiveClient(name: "slow-bodies", threads: 1) { target in
      target.hold(200) { connection, _ in
        connection.send(head(bodyOf: 100_000))
      } _: {
        $0.send("1")
      }
    },
    AbusiveClient(name: "unfinished-bodies", threads: 2) { target in
      let body = [UInt8](repeating: 0x20, count: 900_000)
      target.hold(200) { connection, _ in
        connection.send(head(bodyOf: 1_000_000))
        connection.send(body)
      } _: { _ in
      }
    },
    // Set the limit per address: the share of an address does not apply to loopback addresses.
    AbusiveClient(name: "idle-connections", flags: ["--limits-address", "600"]) { target in
      target.hold(4_000) { _, _ in
      } _: { _ in
      }
    },
    AbusiveClient(name: "connection-churn") { target in
      while target.isTimeLeft { _ = target.connect() }
    },
    AbusiveClient(name: "request-churn", expects: [200]) { target in
      while target.isTimeLeft { _ = target.connect()?.exchange("GET", "/healthz") }
    },
    AbusiveClient(name: "half-requests") { target in
      while target.isTimeLeft { target.connect()?.send("POST /v1/reac") }
    },
    AbusiveClient(name: "pipelining") { target in
      let requests = Hostile.repeated("GET /v1/reactors HTTP/1.1\r\nHost: localhost\r\n\r\n", 1_000)
      while target.isTimeLeft {
        guard let connection = target.connect() else { continue }
        connection.send(requests)
        connection.drain()
      }
    },
    AbusiveClient(name: "unread-responses", threads: 1) { target in
      target.hold(100) { connection, _ in
        connection.send(
          Hostile.repeated("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", 50))
      } _: { _ in
      }
    },
    // Pages of a log, a megabyte each, of which no two are the same array.
    AbusiveClient(name: "unread-pages", threads: 1, prepare: AbusiveClient.fullRoom) { target in
      target.hold(2_000) { connection, _ in
        connection.send(
          "GET /v1/reactors/chat/sessions/full/log?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      } _: { _ in
      }
    },
    AbusiveClient(name: "expect-continue", threads: 1) { target in
      target.hold(200) { connection, _ in
        connection.send(head(bodyOf: 1_000, fields: "Expect: 100-continue\r\n"))
      } _: { _ in
      }
    },
    .malformed("long-field", expects: [431]) {
      Array("GET / HTTP/1.1\r\nX: \(Hostile.repeated("a", 200_000))".utf8)
    },
    .malformed("many-fields", expects: [431]) {
      Array("GET / HTTP/1.1\r\n\(Hostile.repeated("A: b\r\n", 20_000))\r\n".utf8)
    },
    .malformed("long-target", expects: [431]) {
      Array("GET /\(Hostile.repeated("a", 200_000)) HTTP/1.1\r\n".utf8)
    },
    .malformed("empty-field-name") {
      Array("GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\nGET /metrics HTTP/1.1\r\n\r\n".utf8)
    },
    .malformed("control-characters") {
      Array("GET /\u{0}\u{1} HTTP/1.1\r\nHost: localhost\r\nX: \u{0}\u{7F}\r\n\r\n".utf8)
    },
    .malformed("bare-line-feeds") {
      Array(
        "POST / HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n5\n12345\n0\n\n".utf8)
    },
    .malformed("wrong-chunks") {
      Array(
        ("POST /v1/reactors/counter/sessions HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
          + Hostile.repeated("1;a=b\r\n \r\n", 20_000) + "FFFFFFFFFFFFFFFFF\r\n").utf8)
    },
    .malformed("two-lengths") {
      Array(
        ("POST /v1/reactors/counter/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
          + "Content-Length: 50\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").utf8)
    },
    .malformed("tls-hello") {
      [0x16, 0x03, 0x01, 0x02, 0x00] + [UInt8](repeating: 0xA5, count: 512)
    },
    .get("upgrade", "/v1/reactors", fields: "Connection: Upgrade\r\nUpgrade: websocket\r\n"),
  ]

  private static func head(bodyOf count: Int, fields: String = "") -> String {
    "POST /v1/reactors/counter/sessions/abused/actions HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(count)\r\n\(fields)\r\n"
  }
}
