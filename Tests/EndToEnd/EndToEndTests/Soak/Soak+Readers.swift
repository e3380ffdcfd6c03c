import Foundation
import Testing

// Clients that only read.
extension Soak {
  /// Subscribes to the latest states, whole or as patches, and reconnects.
  func watch(until deadline: ContinuousClock.Instant) throws {
    while .now < deadline {
      let session = steady()
      let query = ["", "?activity=true", "?delta=patch"].randomElement() ?? ""
      var seen: Cursor?
      for _ in 0..<Int.random(in: 1...5) where .now < deadline {
        let headers = seen.map { ["Last-Event-ID": $0.description] } ?? [:]
        let stream = try session.events(query, headers)
        try read(stream, atMost: .random(in: 1...300), until: deadline) { event in
          if event.event == "activity" { return }
          guard let cursor = event.cursor, cursor.version > seen?.version ?? -1 else {
            throw SoakFailure("after \(String(describing: seen)) came \(event)")
          }
          seen = cursor
        }
        if Bool.random() { stream.abort() }
      }
    }
  }

  /// Reads every version, across connections.
  func replay(until deadline: ContinuousClock.Instant) throws {
    while .now < deadline {
      let session = steady()
      // Retention can have removed the first versions. The remaining versions have no gap.
      var seen: Cursor?
      for _ in 0..<Int.random(in: 1...5) where .now < deadline {
        let headers = seen.map { ["Last-Event-ID": $0.description] } ?? [:]
        let stream = try session.events("?replay=all", headers)
        try read(stream, atMost: .random(in: 1...2000), until: deadline) { event in
          if event.event == "reset" {
            seen = nil
            return
          }
          guard let cursor = event.cursor, seen.map({ cursor.version == $0.version + 1 }) ?? true
          else { throw SoakFailure("after \(String(describing: seen)) came \(event)") }
          seen = cursor
        }
      }
    }
  }

  /// Subscribes to two sessions over one stream, and reconnects.
  func watchSeveral(until deadline: ContinuousClock.Instant) throws {
    let path = "/v1/events?session=counter/steady-0&session=counter/steady-1"
    while .now < deadline {
      var id: String?
      var values: [String: Int] = [:]
      for _ in 0..<Int.random(in: 1...5) where .now < deadline {
        let headers = id.map { ["Last-Event-ID": $0] } ?? [:]
        let stream = try EventStream(port: server.port, path, headers)
        try read(stream, atMost: .random(in: 1...300), until: deadline) { event in
          // The added numbers are positive, so a larger value is a later version.
          guard let name = event.event, let value = try event.json["value"]?.int,
            value > values[name] ?? -1
          else { throw SoakFailure("after \(values) came \(event)") }
          values[name] = value
          id = event.id
        }
      }
    }
  }

  /// Reads a few events at a time, with pauses.
  func readSlowly(until deadline: ContinuousClock.Instant) throws {
    while .now < deadline {
      let queries = ["", "?replay=all", "?select=/value"]
      let streams = try (0..<5).map { _ in
        try steady().events(queries.randomElement() ?? "", receiveBuffer: 4096)
      }
      for _ in 0..<5 where .now < deadline {
        Thread.sleep(forTimeInterval: .random(in: 0.01...0.3))
        for stream in streams { try read(stream, atMost: 3, until: deadline) { _ in } }
      }
      if Bool.random() { for stream in streams { stream.abort() } }
    }
  }

  /// Opens many streams at the same time, and disconnects half of them immediately.
  func crowd(until deadline: ContinuousClock.Instant) throws {
    while .now < deadline {
      let session = steady()
      let streams = try (0..<40).map { _ in try session.events() }
      for stream in streams where try stream.nextEvent() == nil {
        throw SoakFailure("a stream ended at its begin")
      }
      for (index, stream) in streams.enumerated() where index % 2 == 0 { stream.abort() }
    }
  }

  /// Requests various addresses, including unknown ones, and disconnects in the middle of a
  /// request.
  func passBy(until deadline: ContinuousClock.Instant) throws {
    while .now < deadline {
      let client = server.client()
      let session = steady()
      for _ in 0..<20 where .now < deadline {
        try session.state().expect(200, to: "a State")
        try session.log("?limit=20").expect(200, 404, to: "a log")
        try client.get("/v1/reactors").expect(200, to: "the catalogue")
        try client.get("/v1/reactors/counter/sessions?limit=10").expect(200, to: "sessions")
        try client.get("/metrics").expect(200, to: "metrics")
        try client.get("/v1/reactors/nothing").expect(404, to: "a GET of an unknown reactor")
        try session.post("{").expect(400, to: "a POST of invalid JSON")
      }
      let connection = try Connection(port: server.port)
      try connection.send(
        "POST \(session.path)/actions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9")
      connection.abort()
      _ = try Connection(port: server.port)
    }
  }

  /// Reads events until there are enough, or the time is over.
  private func read(
    _ stream: EventStream, atMost count: Int, until deadline: ContinuousClock.Instant,
    _ body: (ServerSentEvent) throws -> Void
  ) throws {
    for _ in 0..<count {
      let timeout = min(.milliseconds(300), deadline - .now)
      guard timeout > .zero else { return }
      do {
        guard let event = try stream.nextEvent(within: timeout) else {
          throw SoakFailure("a stream ended by itself")
        }
        try body(event)
      } catch WireError.timedOut {
        return
      }
    }
  }
}
