import Foundation

extension AbusiveClient {
  private static let abused = "/v1/reactors/counter/sessions/abused"

  /// The flags of a daemon that accepts requests with the token of its token file, and requests
  /// without a token.
  private static let tokens = [
    "--auth-rules", #"[{"allow":"admin","anonymous":true}]"#, "--auth-tokens", "FOLDER/tokens",
  ]
  private static let token = "Authorization: Bearer \(Daemon.token)\r\n"

  /// Abuse of flows, timers and tickets.
  static let features: [AbusiveClient] = [
    .action("flow-paths", to: "order", expects: [404]) {
      #"{"stack":{"open":"\#(Hostile.repeated("/drinks/a", 100_000))"}}"#
    },
    // Each action dismisses 31 screens and presents 31 others.
    .action("flow-screens", to: "order", expects: [200]) {
      let paths = ["Latte", "Mocha"].map { name in
        #"{"stack":{"open":"\#(Hostile.repeated("/drinks/\(name)", 31))"}}"#
      }
      return "[" + Array(repeating: paths.joined(separator: ","), count: 500).joined(separator: ",")
        + "]"
    },
    // All timers are due at the same time, and each sends to the same session.
    AbusiveClient(name: "timers", expects: [200, 201]) { target in
      let end = Date(timeIntervalSinceNow: 2).ISO8601Format()
      let body = Array(#"{"parameters":{"item":"A lamp","endsAt":"\#(end)"}}"#.utf8)
      let open = Array(#""open""#.utf8)
      target.flood { connection, turn in
        // Use fewer auctions than the lobby lists.
        let path = "/v1/reactors/auction/sessions/t-\(target.name)-\(turn % 400)"
        guard connection.exchange("PUT", path, body: body) != nil else { return nil }
        return connection.exchange("POST", path + "/actions", body: open)
      }
    },
    AbusiveClient(name: "large-parameters", expects: [201]) { target in
      let item = Hostile.repeated("a", 64_000)
      let body = Array(
        #"{"parameters":{"item":"\#(item)","endsAt":"2100-01-01T00:00:00Z"}}"#.utf8)
      target.flood { connection, turn in
        connection.exchange(
          "PUT", "/v1/reactors/auction/sessions/p-\(target.name)-\(turn)", body: body)
      }
    },
    AbusiveClient(name: "tickets", expects: [201], flags: tokens) { target in
      target.flood { connection, _ in
        connection.exchange("POST", "/v1/tickets", fields: token, body: [])
      }
    },
    AbusiveClient(name: "used-tickets", expects: [200, 201], flags: tokens) { target in
      target.flood { connection, _ in
        guard let response = connection.exchange("POST", "/v1/tickets", fields: token, body: []),
          let ticket = text(of: "ticket", in: response.body), let stream = target.connect()
        else { return nil }
        stream.send(head(of: abused + "/events?ticket=\(ticket)"))
        return stream.responseHead() == nil ? nil : response
      }
    },
    AbusiveClient(name: "forged-tickets", threads: 8, expects: [401, 429], flags: tokens) {
      target in
      let ticket = Hostile.repeated("e", 5_000) + "." + Hostile.repeated("A", 43)
      target.flood { _, _ in
        guard let stream = target.connect() else { return nil }
        stream.send(head(of: abused + "/events?ticket=\(ticket)"))
        return stream.response()
      }
    },
    .get(
      "change-pages", "/v1/changes?reactor=weather&limit=1000",
      flags: ["--changes-keep", "600"], prepare: history),
    AbusiveClient(name: "change-streams", flags: ["--changes-keep", "600"], prepare: history) {
      target in
      while target.isTimeLeft {
        guard let connection = target.connect() else { continue }
        connection.send(head(of: "/v1/changes/events?after=0&with=state"))
        for _ in 0..<10 {
          connection.drain()
          Clock.pause(0.02)
        }
      }
    },
  ]

  /// Abuse of presence and signals.
  static let subscribers: [AbusiveClient] = [
    AbusiveClient(name: "presence-churn") { target in
      var turn = 0
      while target.isTimeLeft {
        turn += 1
        let name = "\(target.name)-\(turn)-" + Hostile.repeated("n", 90)
        target.connect()?.send(head(of: abused + "/events?presence=true&name=\(name)"))
      }
    },
    AbusiveClient(name: "presence-crowd") { target in
      if target.thread == 0 {
        target.hold(1_000) { connection, number in
          let name = "\(number)-" + Hostile.repeated("n", 100)
          connection.send(head(of: abused + "/events?presence=true&name=\(name)"))
        } _: {
          $0.drain()
        }
      } else {
        while target.isTimeLeft {
          target.connect()?.send(head(of: abused + "/events?presence=true&name=other"))
          Clock.pause(0.01)
        }
      }
    },
    AbusiveClient(name: "subscriber-pages", expects: [200]) { target in
      if target.thread == 0 {
        target.hold(2_000) { connection, number in
          let name = "\(number)-" + Hostile.repeated("n", 100)
          connection.send(head(of: abused + "/events?name=\(name)"))
        } _: { _ in
        }
      } else {
        target.flood { connection, _ in
          connection.exchange("GET", abused + "/subscribers?limit=1000")
        }
      }
    },
    AbusiveClient(name: "signals", expects: [204, 429]) { target in
      if target.thread == 0 {
        target.hold(200) { connection, _ in
          connection.send(head(of: abused + "/events?signals=true"))
        } _: {
          $0.drain()
        }
      } else {
        let signal = Array(#""\#(Hostile.repeated("s", 4_000))""#.utf8)
        target.flood { connection, _ in
          connection.exchange("POST", abused + "/signals", body: signal)
        }
      }
    },
    AbusiveClient(name: "unread-signals", expects: [204, 429]) { target in
      if target.thread == 0 {
        target.hold(500) { connection, _ in
          connection.send(head(of: abused + "/events?signals=true"))
        } _: { _ in
        }
      } else {
        let signal = Array(#""\#(Hostile.repeated("s", 4_000))""#.utf8)
        target.flood { connection, _ in
          connection.exchange("POST", abused + "/signals", body: signal)
        }
      }
    },
  ]

  /// Abuse of one node of a cluster; the well-behaved clients use another node.
  static let cluster: [AbusiveClient] = [
    AbusiveClient(name: "cluster-sessions", expects: [201], nodes: 2) { target in
      target.flood { connection, _ in
        connection.exchange("POST", "/v1/reactors/counter/sessions", body: [])
      }
    },
    // The sessions of the well-behaved clients, which the other node owns.
    AbusiveClient(name: "cluster-forwards", threads: 8, expects: [200], nodes: 2) { target in
      let increase = Array(#""increase""#.utf8)
      target.flood { connection, turn in
        connection.exchange(
          "POST", "/v1/reactors/counter/sessions/good-\(turn % 100)/actions", body: increase)
      }
    },
    AbusiveClient(name: "cluster-bodies", expects: [422], nodes: 2) { target in
      let body = Array(Hostile.array("1", 400_000).utf8)
      target.flood { connection, turn in
        connection.exchange(
          "POST", "/v1/reactors/counter/sessions/good-\(turn % 100)/actions", body: body)
      }
    },
    AbusiveClient(name: "cluster-streams", nodes: 2) { target in
      var turn = 0
      while target.isTimeLeft {
        turn += 1
        target.connect()?.send(
          head(of: "/v1/reactors/counter/sessions/good-\(turn % 100)/events?replay=all"))
      }
    },
    AbusiveClient(name: "cluster-globals", threads: 8, expects: [200], nodes: 2) { target in
      target.flood { connection, turn in
        connection.exchange(
          "PUT", "/v1/globals/currentUser", body: Array(#"{"name":"\#(turn)"}"#.utf8))
      }
    },
    AbusiveClient(name: "cluster-forks", threads: 8, expects: [201], nodes: 2, prepare: dearRoom) {
      target in
      target.flood { connection, _ in fork(connection) }
    },
    .get("cluster-nodes", "/v1/nodes", threads: 8, nodes: 2),
    .get("cluster-lists", "/v1/reactors/counter/sessions?limit=1000", nodes: 2),
  ]

  /// Abuse by bursts, and by many connections that are ready at the same time.
  static let bursts: [AbusiveClient] = [
    AbusiveClient(name: "connection-bursts", threads: 1) { target in
      while target.isTimeLeft {
        // All connections are closed at the same time.
        let connections = (0..<500).map { _ in target.connect() }
        withExtendedLifetime(connections) { Clock.pause(0.05) }
      }
    },
    AbusiveClient(name: "reset-bursts", threads: 1) { target in
      while target.isTimeLeft {
        let connections = (0..<500).compactMap { _ in target.connect() }
        for connection in connections { connection.resetAtEnd() }
        withExtendedLifetime(connections) { Clock.pause(0.05) }
      }
    },
    AbusiveClient(name: "ready-connections", threads: 1) { target in
      let request = Array("GET /v1/reactors HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
      target.hold(500) { _, _ in
      } _: {
        $0.send(request)
        $0.drain()
      }
    },
    AbusiveClient(name: "small-chunks", expects: [422]) { target in
      let head =
        "POST \(abused)/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        + "Transfer-Encoding: chunked\r\n\r\n"
      let bytes = Array((head + Hostile.repeated("1\r\n7\r\n", 200_000) + "0\r\n\r\n").utf8)
      target.repeatedly(bytes)
    },
    AbusiveClient(name: "large-bodies", threads: 8, expects: [422]) { target in
      let body = Array(Hostile.array("1", 500_000).utf8)
      target.flood { connection, _ in connection.exchange("POST", abused + "/actions", body: body) }
    },
  ]

  /// The value of a member of a JSON object, which is a string without escapes.
  private static func text(of member: String, in body: [UInt8]) -> String? {
    let text = String(decoding: body, as: UTF8.self)
    guard let start = text.range(of: "\"\(member)\":\"")?.upperBound,
      let end = text[start...].firstIndex(of: "\"")
    else { return nil }
    return String(text[start..<end])
  }
}
