extension AbusiveClient {
  private static let session = "/v1/reactors/counter/sessions/abused"

  /// Clients slightly beyond bounds that no other kind reaches.
  static let bounds: [AbusiveClient] = [
    // One request beyond each bound on a request, in turn.
    AbusiveClient(
      name: "sizes", expects: [200, 400, 404, 412, 413, 422], flags: ["--changes-keep", "10"]
    ) { target in
      target.flood { connection, turn in
        let request = oversized[turn % oversized.count]
        return connection.exchange(
          request.method, request.target, fields: request.fields,
          body: request.body.map { Array($0.utf8) })
      }
    },
    .get(
      "rates", session + "/state", expects: [200, 429],
      flags: ["--limits-rate", "1500", "--limits-sessions", "1000"]),
    // Each request has another address, so that the tables of clients are full.
    AbusiveClient(
      name: "many-addresses", expects: [200],
      flags: ["--http-proxies", "127.0.0.2", "--limits-rate", "5000"]
    ) { target in
      target.flood { connection, turn in
        let (high, low) = (turn >> 8 & 255, turn & 255)
        return connection.exchange(
          "GET", session + "/state",
          fields: "X-Forwarded-For: 203.\(target.thread).\(high).\(low)\r\n")
      }
    },
    // The action takes a second, and repetitions of its key wait for it.
    AbusiveClient(name: "waiting-repetitions", threads: 60, expects: [200, 202, 409]) { target in
      let search = Array(#"{"search":"Oslo"}"#.utf8)
      let name = Int(target.deadline)
      target.flood { connection, turn in
        connection.exchange(
          "POST", "/v1/reactors/weather/sessions/repeated-\(name)/actions",
          fields: "Idempotency-Key: \(turn / 10)\r\n", body: search)
      }
    },
    // More requests than a mailbox has room for, each of which takes about 3 ms.
    AbusiveClient(name: "mailbox", threads: 1, isHeld: true, prepare: dearRoom) { target in
      let body = #"{"send":{"from":"a","text":"t"}}"#
      target.hold(10_500) { connection, _ in
        connection.send(
          "POST \(dear)/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
      } _: {
        $0.drain()
      }
    },
    // Each request of 8 KB adds as much to the States in memory.
    AbusiveClient(name: "large-states-of-many-sessions", expects: [200]) { target in
      let text = Hostile.repeated("text ", 1_590)
      target.flood { connection, turn in
        let path = "/v1/reactors/chat/sessions/many-\(target.name)-\(turn)/actions"
        return connection.exchange(
          "POST", path,
          body: Array(#"[{"join":"a"},{"send":{"from":"a","text":"\#(text)"}}]"#.utf8))
      }
    },
    AbusiveClient(
      name: "forks-in-memory", expects: [201, 507], flags: ["--store", "memory"], prepare: dearRoom
    ) { target in
      target.flood { connection, _ in fork(connection) }
    },
  ]

  /// Requests beyond the bounds on a part of a request.
  private static let oversized: [(method: String, target: String, fields: String, body: String?)] =
    [
      ("GET", session + Hostile.repeated("x", 129) + "/state", "", nil),
      (
        "POST", session + "/actions", "Idempotency-Key: \(Hostile.repeated("k", 129))\r\n",
        #""increase""#
      ),
      ("GET", session + "/events?name=" + Hostile.repeated("n", 129), "", nil),
      ("GET", session + "/events?format=datastar&into=" + Hostile.repeated("n", 129), "", nil),
      ("GET", "/v1/reactors/counter/sessions?limit=1001", "", nil),
      (
        "GET", "/v1/events?" + (0...100).map { "session=counter/m\($0)" }.joined(separator: "&"),
        "",
        nil
      ),
      (
        "POST", session + "/actions", "If-Match: \"\(Hostile.repeated("c", 65))\"\r\n",
        #""increase""#
      ),
      ("POST", session + "/actions", "", Hostile.array(#""increase""#, 1_001)),
      (
        "PUT", "/v1/reactors/auction/sessions/large", "",
        #"{"parameters":{"item":"\#(Hostile.repeated("a", 65_536))","endsAt":"2100-01-01T00:00:00Z"}}"#
      ),
      ("POST", session + "/actions", "", "\"\(Hostile.marks(130))\""),
      ("POST", session + "/actions", "", Hostile.repeated("[", 501) + Hostile.repeated("]", 501)),
      ("GET", session + "/state", "Authorization: Bearer \(Hostile.repeated("t", 8_193))\r\n", nil),
      (
        "POST", "/v1/reactors/order/sessions/abused/actions", "",
        #"{"stack":{"open":"\#(Hostile.repeated("/drinks/a", 230))"}}"#
      ),
      ("POST", session + "/signals", "", "\"\(Hostile.repeated("s", 4_096))\""),
    ]
}
