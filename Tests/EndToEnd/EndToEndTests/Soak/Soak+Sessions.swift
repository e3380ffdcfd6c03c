import Testing

// Clients that change state.
extension Soak {
  /// Posts to permanent sessions, and counts acknowledgements.
  func write(until deadline: ContinuousClock.Instant) throws {
    while .now < deadline {
      let number = Int.random(in: 0..<Self.steadySessions)
      let session = steady(number)
      var last = -1
      for _ in 0..<Int.random(in: 1...100) where .now < deadline {
        let amount = Int.random(in: 1...9)
        let response: HTTPResponse
        switch Int.random(in: 0..<8) {
        case 0:
          let actions = Array(repeating: #""increase""#, count: amount).joined(separator: ",")
          response = try session.post("[\(actions)]").expect(200, to: "an array")
          note(number, actions: amount, sum: amount)
        case 1:
          response = try session.post(#"{"add":\#(amount)}"#, ["Prefer": "return=minimal"])
            .expect(204, to: "an action without a body")
          note(number, actions: 1, sum: amount)
        case 2:
          try session.post(#"{"multiply":2}"#).expect(422, to: "no action")
          try session.post(#""increase""#, ["If-Match": #""other-1""#])
            .expect(412, to: "another history's cursor")
          continue
        case 3:
          let key = ["Idempotency-Key": "\(UInt64.random(in: 0...(.max)))"]
          response = try session.post(#"{"add":\#(amount)}"#, key).expect(200, to: "an action")
          note(number, actions: 1, sum: amount)
          let again = try session.post(#"{"add":\#(amount)}"#, key).expect(200, to: "a retry")
          guard again.text == response.text, again["Idempotent-Replayed"] == "true" else {
            throw SoakFailure("a retry of the key got \(again.text)")
          }
        default:
          response = try session.post(#"{"add":\#(amount)}"#).expect(200, to: "an action")
          note(number, actions: 1, sum: amount)
        }
        guard let version = response.cursor?.version, version > last else {
          throw SoakFailure("an action got \(String(describing: response.cursor))")
        }
        last = version
      }
    }
  }

  /// Creates and forks sessions, and observes their end.
  func makeAndEnd(_ name: String, until deadline: ContinuousClock.Instant) throws {
    let client = server.client()
    while .now < deadline {
      let number = Int.random(in: 0..<20)
      let made = SessionClient(client, session("made-\(name)-\(number)").path)
      try made.put().expect(201, to: "PUT")
      let stream = try made.events()
      for _ in 0..<3 { try made.post(#""increase""#).expect(200, to: "an action") }
      let versions = try stream.events(upTo: 3).compactMap { $0.cursor?.version }
      guard versions.last == 3 else { throw SoakFailure("saw \(versions) of 3 versions") }

      let fork = SessionClient(client, session("fork-\(name)-\(number)").path)
      let source = Int.random(in: 0..<Self.steadySessions)
      let body = #"{"id":"\#(fork.id)","from":{"session":"steady-\#(source)"}}"#
      let forked = try client.send("POST", made.siblings, json: body)
        .expect(201, to: "a fork")
      let state = try fork.state().expect(200, to: "a fork's State")
      guard state.text == forked.text else { throw SoakFailure("a fork changed by itself") }

      for session in [made, fork] {
        try session.delete().expect(204, to: "DELETE")
        try session.state().expect(410, to: "a GET of an ended session")
      }
      guard try stream.nextEvent()?.event == "end", try stream.nextEvent() == nil else {
        throw SoakFailure("a stream continued after its session")
      }
    }
  }

  /// Starts effects, and ends them in all possible ways.
  func runEffects(until deadline: ContinuousClock.Instant) throws {
    while .now < deadline {
      let session = session("watch-\(Int.random(in: 0..<10))", of: "stopwatch")
      try session.put().expect(200, 201, to: "PUT")
      let stream = try session.events()
      try session.post(#""start""#, ["Prefer": "respond-async"])
        .expect(200, 202, to: "start")
      let first = try stream.nextEvent()?.cursor?.version ?? 0
      _ = try stream.events(upTo: first + 3)
      if Bool.random() {
        try session.post(#""stop""#).expect(200, to: "stop")
      } else {
        try session.delete().expect(204, to: "DELETE")
      }
    }
  }
}
