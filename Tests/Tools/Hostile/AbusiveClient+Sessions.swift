extension AbusiveClient {
  private static let sessions = "/v1/reactors/counter/sessions"
  private static let increase = Array(#""increase""#.utf8)

  /// Small requests with large effects.
  static let effects: [AbusiveClient] = [
    AbusiveClient(name: "reads-of-new-sessions", expects: [200]) { target in
      target.flood { connection, turn in
        connection.exchange("GET", "\(sessions)/read-\(target.name)-\(turn)/state")
      }
    },
    AbusiveClient(name: "new-sessions", expects: [201]) { target in
      target.flood { connection, _ in connection.exchange("POST", sessions, body: []) }
    },
    AbusiveClient(name: "ended-sessions", expects: [200, 204]) { target in
      target.flood { connection, turn in
        let path = "\(sessions)/short-\(target.name)-\(turn)"
        _ = connection.exchange("POST", path + "/actions", body: increase)
        return connection.exchange("DELETE", path)
      }
    },
    AbusiveClient(name: "forks", expects: [201], prepare: history) { target in
      let body = Array(#"{"from":{"session":"long","version":20000}}"#.utf8)
      target.flood { connection, _ in connection.exchange("POST", sessions, body: body) }
    },
    AbusiveClient(name: "stopwatches", expects: [202]) { target in
      let start = Array(#""start""#.utf8)
      target.flood { connection, turn in
        connection.exchange(
          "POST", "/v1/reactors/stopwatch/sessions/w-\(target.name)-\(turn)/actions",
          fields: "Prefer: respond-async\r\n", body: start)
      }
    },
    AbusiveClient(name: "searches", expects: [202]) { target in
      let search = Array(#"{"search":"Oslo"}"#.utf8)
      target.flood { connection, turn in
        connection.exchange(
          "POST", "/v1/reactors/weather/sessions/s-\(target.name)-\(turn)/actions",
          fields: "Prefer: respond-async\r\n", body: search)
      }
    },
    AbusiveClient(name: "idempotency-keys", expects: [200]) { target in
      target.flood { connection, turn in
        connection.exchange(
          "POST", sessions + "/abused/actions",
          fields: "Idempotency-Key: \(target.name)-\(turn)\r\n", body: increase)
      }
    },
    // The response has an earlier State, which is a fold of the log.
    AbusiveClient(name: "repeated-keys", expects: [200], prepare: earlyKey) { target in
      target.flood { connection, _ in
        connection.exchange("POST", sessions + "/keyed/actions", fields: key, body: increase)
      }
    },
    AbusiveClient(name: "globals", expects: [200]) { target in
      target.flood { connection, turn in
        connection.exchange(
          "PUT", "/v1/globals/currentUser", body: Array(#"{"name":"\#(turn)"}"#.utf8))
      }
    },
    .get("session-lists", sessions + "?limit=1000", prepare: manySessions),
    .get("metrics", "/metrics", prepare: manySessions),
    .get("log-pages", sessions + "/long/log?limit=1000", prepare: history),
    .get("time-travel", sessions + "/long/state?version=19999", prepare: history),
    .get("catalogue", "/v1/reactors/profile"),
    .get("schemas", "/openapi.json", fields: "Accept-Encoding: gzip\r\n"),
    .get(
      "compressed-states", "/v1/reactors/chat/sessions/full/state",
      fields: "Accept-Encoding: gzip\r\n", prepare: fullRoom),
    .action(
      "large-states", to: "chat", session: "full", prepare: [#"{"join":"a"}"#], expects: [200]
    ) { message },
    .get(
      "wrong-tokens", sessions + "/abused/state", fields: "Authorization: Bearer wrong\r\n",
      expects: [401, 429], flags: ["--auth-rules", #"[{"allow":"admin","anonymous":true}]"#]),
    .get("unknown-paths", "/a/b/c/d/e/f/g/h", expects: [404]),
    .get("pages", "/", fields: "Accept-Encoding: gzip\r\n"),
  ]

  /// Abuse of streams.
  static let streams: [AbusiveClient] = [
    AbusiveClient(name: "stalled-readers", expects: [200], prepare: fullRoom) { target in
      if target.thread == 0 {
        target.hold(200) { connection, _ in
          connection.send(head(of: "/v1/reactors/chat/sessions/full/events"))
        } _: { _ in
        }
      } else {
        target.flood { connection, _ in
          connection.exchange(
            "POST", "/v1/reactors/chat/sessions/full/actions", body: Array(message.utf8))
        }
      }
    },
    AbusiveClient(name: "patch-streams", expects: [200], prepare: fullRoom) { target in
      if target.thread == 0 {
        target.hold(50) { connection, _ in
          connection.send(head(of: "/v1/reactors/chat/sessions/full/events?delta=patch"))
        } _: {
          $0.drain()
        }
      } else {
        target.flood { connection, _ in
          connection.exchange(
            "POST", "/v1/reactors/chat/sessions/full/actions", body: Array(message.utf8))
        }
      }
    },
    // Each stream has a view of its own, so it shares its events with no other stream.
    views("stream-views", of: "small", count: 2_000, prepare: smallRoom) {
      "delta=patch&select=/messages/\($0)"
    },
    // Each name is a view of its own of a large State.
    views("signal-views", of: "full", count: 1_000, prepare: fullRoom) {
      "format=datastar&into=a\($0)"
    },
    // Each stream is the only one of a session, whose latest events are retained for it.
    AbusiveClient(name: "views-of-many-sessions", expects: [200]) { target in
      let rooms = (0..<400).map { "/v1/reactors/chat/sessions/v-\(target.name)-\($0)" }
      let connection = target.connect()
      for room in rooms {
        for body in [#"{"join":"a"}"#, message, message, message] {
          _ = connection?.exchange("POST", room + "/actions", body: Array(body.utf8))
        }
      }
      let streams = rooms.compactMap { room in
        let stream = target.connect()
        stream?.send(head(of: room + "/events"))
        return stream
      }
      target.flood { connection, turn in
        if turn % rooms.count == 0 { for stream in streams { stream.drain() } }
        let action = turn / rooms.count % 2 == 0 ? #"{"join":"b"}"# : #"{"leave":"b"}"#
        return connection.exchange(
          "POST", rooms[turn % rooms.count] + "/actions", body: Array(action.utf8))
      }
    },
    // Sessions with a stream are in use.
    AbusiveClient(name: "large-states-with-streams", expects: [200]) { target in
      var streams: [Connection] = []
      target.flood { connection, turn in
        let room = "/v1/reactors/chat/sessions/h-\(target.name)-\(turn / 100)"
        if turn % 100 == 0 {
          if let stream = target.connect() {
            stream.send(head(of: room + "/events"))
            streams.append(stream)
          }
          for stream in streams { stream.drain() }
          return connection.exchange("POST", room + "/actions", body: Array(#"{"join":"a"}"#.utf8))
        }
        return connection.exchange("POST", room + "/actions", body: Array(message.utf8))
      }
    },
    AbusiveClient(name: "unread-replays", prepare: fullRoom) { target in
      target.hold(200) { connection, _ in
        connection.send(head(of: "/v1/reactors/chat/sessions/full/events?replay=all"))
      } _: { _ in
      }
    },
    AbusiveClient(name: "stream-churn") { target in
      while target.isTimeLeft {
        target.connect()?.send(head(of: sessions + "/abused/events"))
      }
    },
    AbusiveClient(name: "replays", prepare: history) { target in
      while target.isTimeLeft {
        guard let connection = target.connect() else { continue }
        connection.send(head(of: sessions + "/long/events?replay=all"))
        for _ in 0..<10 {
          connection.drain()
          Clock.pause(0.02)
        }
      }
    },
    AbusiveClient(name: "many-sessions-per-stream") { target in
      let list = (0..<100).map { "session=counter/m\($0)" }.joined(separator: "&")
      while target.isTimeLeft {
        guard let connection = target.connect() else { continue }
        connection.send(head(of: "/v1/events?" + list))
        Clock.pause(0.01)
        connection.drain()
      }
    },
    AbusiveClient(name: "wrong-cursors") { target in
      let cursor = "Last-Event-ID: zzz-99999999999999999\r\n"
      while target.isTimeLeft {
        guard let connection = target.connect() else { continue }
        connection.send(head(of: sessions + "/abused/events", fields: cursor))
        Clock.pause(0.002)
        connection.drain()
      }
    },
  ]

  /// Streams of different views of a room that changes.
  private static func views(
    _ name: String, of room: String, count: Int, prepare: @escaping @Sendable (Target) -> Void,
    query: @escaping @Sendable (_ number: Int) -> String
  ) -> AbusiveClient {
    let path = "/v1/reactors/chat/sessions/\(room)"
    return AbusiveClient(name: name, expects: [200], prepare: prepare) { target in
      if target.thread == 0 {
        target.hold(count) { connection, number in
          connection.send(head(of: "\(path)/events?\(query(number))"))
        } _: {
          $0.drain()
        }
      } else {
        target.flood { connection, turn in
          let action = turn % 2 == 0 ? #"{"join":"b"}"# : #"{"leave":"b"}"#
          return connection.exchange("POST", path + "/actions", body: Array(action.utf8))
        }
      }
    }
  }

  static func head(of target: String, fields: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\(fields)\r\n"
  }

  private static let message =
    #"{"send":{"from":"a","text":"\#(Hostile.repeated("text ", 1_500))"}}"#

  /// A session with 20,000 mutations.
  @Sendable static func history(_ target: Target) {
    let connection = target.connect()
    let actions = Array(Hostile.array(#""increase""#, 500).utf8)
    for _ in 0..<40 {
      _ = connection?.exchange("POST", sessions + "/long/actions", body: actions)
    }
  }

  private static let key = "Idempotency-Key: early\r\n"

  /// A session whose first action has a key, followed by 999 mutations.
  @Sendable private static func earlyKey(_ target: Target) {
    let connection = target.connect()
    let path = sessions + "/keyed/actions"
    _ = connection?.exchange("POST", path, fields: key, body: increase)
    let actions = Array(Hostile.array(#""increase""#, 333).utf8)
    for _ in 0..<3 { _ = connection?.exchange("POST", path, body: actions) }
  }

  /// 3,000 stored sessions.
  @Sendable static func manySessions(_ target: Target) {
    let connection = target.connect()
    for number in 0..<3_000 {
      _ = connection?.exchange("POST", "\(sessions)/stored-\(number)/actions", body: increase)
    }
  }

  /// A room whose State is just small enough for its events to be created on the publishing thread.
  @Sendable private static func smallRoom(_ target: Target) {
    let connection = target.connect()
    let path = "/v1/reactors/chat/sessions/small/actions"
    for action in [#"{"join":"a"}"#, message] {
      _ = connection?.exchange("POST", path, body: Array(action.utf8))
    }
  }

  /// A room with a hundred long messages.
  @Sendable static func fullRoom(_ target: Target) {
    let connection = target.connect()
    let path = "/v1/reactors/chat/sessions/full/actions"
    _ = connection?.exchange("POST", path, body: Array(#"{"join":"a"}"#.utf8))
    for _ in 0..<100 { _ = connection?.exchange("POST", path, body: Array(message.utf8)) }
  }
}
