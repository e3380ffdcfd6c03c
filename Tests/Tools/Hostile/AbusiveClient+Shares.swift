extension AbusiveClient {
  private static let sessions = "/v1/reactors/counter/sessions"
  static let dear = "/v1/reactors/chat/sessions/dear"

  /// Clients slightly beyond the bounds of shared tables, and small requests with work that is long.
  static let shares: [AbusiveClient] = shared + shared.map { $0.behindProxy() } + long

  /// The kinds that are measured behind a proxy as well.
  private static let shared: [AbusiveClient] = [
    // 1.05 times the bound of all bodies.
    AbusiveClient(name: "bodies-beyond-all", threads: 1, isHeld: true) { target in
      let body = [UInt8](repeating: 0x20, count: 1_000_000)
      target.hold(282) { connection, _ in
        connection.send(bodyHead(1_000_001))
        connection.send(body)
      } _: { _ in
      }
    },
    AbusiveClient(
      name: "slow-bodies-everywhere", threads: 1, flags: ["--limits-connections", "4000"],
      isHeld: true
    ) { target in
      target.hold(4_200) { connection, _ in
        connection.send(bodyHead(100_000))
      } _: {
        $0.send("1")
      }
    },
    // Each effect writes once per second.
    AbusiveClient(name: "endless-effects", expects: [202, 503], isHeld: true) { target in
      let start = Array(#""start""#.utf8)
      let connection = target.connect()
      for number in 0..<5_250 where target.isTimeLeft {
        let path = "/v1/reactors/stopwatch/sessions/e-\(target.thread)-\(number)/actions"
        _ = connection?.exchange(
          "POST", path, fields: number % 500 == 499 ? "" : "Prefer: respond-async\r\n", body: start)
      }
      target.ready()
      target.wait()
    },
    AbusiveClient(
      name: "sessions-beyond-all", expects: [201],
      flags: ["--limits-memory", "134217728", "--sessions-idle", "5"], isHeld: true
    ) { target in
      let connection = target.connect()
      for number in 0..<10_500 {
        _ = connection?.exchange("PUT", "\(sessions)/s-\(target.thread)-\(number)")
      }
      target.ready()
      target.flood { connection, turn in
        connection.exchange("PUT", "\(sessions)/t-\(target.thread)-\(turn)")
      }
    },
    AbusiveClient(name: "idle-streams", expects: [200], isHeld: true) { target in
      if target.thread == 0 {
        target.hold(14_000) { connection, _ in
          connection.send(head(of: sessions + "/crowd/events"))
        } _: {
          $0.drain()
        }
      } else {
        target.ready()
        act(target, sessions + "/crowd/actions", every: 0.05)
      }
    },
    AbusiveClient(
      name: "forged-tokens", threads: 4, expects: [401, 429],
      flags: [
        "--auth-rules", #"[{"allow":"admin","anonymous":true}]"#, "--auth-jwt-keys", "FOLDER/keys",
      ]
    ) { target in
      target.flood { connection, turn in
        Clock.pause(0.002)
        let token = ForgedTokens.token(turn * 4 + target.thread)
        return connection.exchange(
          "GET", sessions + "/abused/state", fields: "Authorization: Bearer \(token)\r\n")
      }
    },
    AbusiveClient(name: "jobs-beyond-all", threads: 1, isHeld: true, prepare: history) { target in
      target.hold(17_200) { connection, _ in
        connection.send(head(of: sessions + "/long/state?version=19999"))
      } _: {
        $0.drain()
      }
    },
    AbusiveClient(name: "six-replays", threads: 6, prepare: dearRoom) { target in
      while target.isTimeLeft {
        guard let connection = target.connect() else { continue }
        connection.send(head(of: dear + "/events?replay=all"))
        while target.isTimeLeft {
          connection.drain()
          Clock.pause(0.01)
        }
      }
    },
    AbusiveClient(name: "forks-of-a-dear-room", threads: 1, expects: [201], prepare: dearRoom) {
      target in
      target.flood { connection, _ in fork(connection) }
    },
    AbusiveClient(name: "twenty-forks", threads: 20, expects: [201], prepare: dearRoom) { target in
      target.flood { connection, _ in fork(connection) }
    },
    AbusiveClient(name: "global-followers", threads: 1, expects: [200], prepare: followers) {
      target in
      target.flood { connection, turn in
        connection.exchange(
          "PUT", "/v1/globals/currentUser",
          body: Array(#"{"name":"\#(target.name)-\#(turn)"}"#.utf8))
      }
    },
    AbusiveClient(name: "streams-of-many-sessions", expects: [200]) { target in
      let list = (0..<100).map { "session=counter/m\($0)" }.joined(separator: "&")
      target.flood { _, _ in
        let connection = target.connect()
        connection?.send(head(of: "/v1/events?" + list))
        return connection?.responseHead().map { Connection.Response(status: $0, body: []) }
      }
    },
  ]

  /// Kinds that prepare for a minute or longer.
  private static let long: [AbusiveClient] = [
    AbusiveClient(name: "million-keys", threads: 4, expects: [200], isHeld: true) { target in
      let increase = Array(#""increase""#.utf8)
      let connection = target.connect()
      for number in 0..<26_250 where target.isTimeLeft {
        // Ten requests in a row: the time is that of the commits.
        let requests = (0..<10).map { part in
          "POST \(sessions)/k-\(target.thread)-\(part)/actions HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Type: application/json\r\nIdempotency-Key: \(number)-\(part)\r\n"
            + "Content-Length: 10\r\n\r\n\"increase\""
        }
        connection?.send(requests.joined())
        for _ in 0..<10 { _ = connection?.response() }
      }
      target.ready()
      target.flood { connection, turn in
        connection.exchange(
          "POST", "\(sessions)/abused/actions",
          fields: "Idempotency-Key: \(target.thread)-\(turn)\r\n", body: increase)
      }
    },
    AbusiveClient(name: "million-sessions", threads: 4, expects: [201], isHeld: true) { target in
      let connection = target.connect()
      for number in 0..<26_250 where target.isTimeLeft {
        let requests = (0..<10).map { part in
          "PUT \(sessions)/s-\(target.thread)-\(number)-\(part) HTTP/1.1\r\nHost: localhost\r\n\r\n"
        }
        connection?.send(requests.joined())
        for _ in 0..<10 { _ = connection?.response() }
      }
      target.ready()
      target.flood { connection, turn in
        connection.exchange("PUT", "\(sessions)/t-\(target.thread)-\(turn)")
      }
    },
  ]

  private static func bodyHead(_ count: Int) -> String {
    "POST \(sessions)/abused/actions HTTP/1.1\r\nHost: localhost\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(count)\r\n\r\n"
  }

  static func fork(_ connection: Connection) -> Connection.Response? {
    connection.exchange(
      "POST", "/v1/reactors/chat/sessions", body: Array(#"{"from":{"session":"dear"}}"#.utf8))
  }

  /// Sends actions in an interval.
  private static func act(_ target: Target, _ path: String, every interval: Double) {
    let connection = target.connect()
    while target.isTimeLeft {
      _ = connection?.exchange("POST", path, body: Array(#""increase""#.utf8))
      Clock.pause(interval)
    }
  }

  /// A room of 512 KiB with a thousand versions; each of its mutations takes about 3 ms.
  @Sendable static func dearRoom(_ target: Target) {
    let connection = target.connect()
    _ = connection?.exchange("POST", dear + "/actions", body: Array(#"{"join":"a"}"#.utf8))
    let message = #"{"send":{"from":"a","text":"\#(Hostile.repeated("text ", 1_580))"}}"#
    for _ in 0..<10 {
      _ = connection?.exchange(
        "POST", dear + "/actions", body: Array(Hostile.array(message, 100).utf8))
    }
  }

  /// Sessions that follow a global.
  @Sendable private static func followers(_ target: Target) {
    let connection = target.connect()
    for number in 0..<2_000 {
      let requests = (0..<10).map { part in
        "PUT /v1/reactors/profile/sessions/f-\(number)-\(part) HTTP/1.1\r\nHost: localhost\r\n\r\n"
      }
      connection?.send(requests.joined())
      for _ in 0..<10 { _ = connection?.response() }
    }
  }
}
