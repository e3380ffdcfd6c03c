import Foundation
import Synchronization
import Testing

/// What is left when the process is killed at any moment: all that was acknowledged, once.
@Suite(.blocking) struct KillTests {
  /// How often; `make test-faults` says more.
  private static let rounds =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) } ?? 20

  @Test func `what was acknowledged survives a kill, once and in order`() throws {
    let folder = try TemporaryFolder()
    var history = History()
    for round in 0..<Self.rounds {
      let server = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
      try history.check(SessionClient(server.client(), Self.path))
      history.seen = try load(server, round: round, history: &history)
      try server.process.wait()
    }

    let server = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    let session = SessionClient(server.client(), Self.path)
    try history.check(session)
    if (history.seen.last?.version ?? -1) < history.version {
      let stream = try EventStream(
        port: server.port, Self.path + "/events?replay=all", history.resumption)
      history.seen += try stream.events(upTo: history.version).compactMap(\.cursor)
    }
    #expect(history.seen.map(\.version) == Array(0...history.version))
    #expect(Set(history.seen.map(\.epoch)).count == 1)
  }

  private static let path = "/v1/reactors/counter/sessions/killed"

  /// Lets writers and a subscriber work until the service is killed among them.
  ///
  /// - Returns: All that the subscriber has seen up to now.
  private func load(
    _ server: ReactordProcess, round: Int, history: inout History
  ) throws -> [Cursor] {
    let left = Atomic(Int.random(in: 1...150))
    let port = server.port
    let resumption = history.resumption
    let results = try concurrently(5) { index in
      index == 0
        ? Work(seen: Self.watch(port, resumption))
        : Work(
          acknowledged: Self.write(port, (round * 5 + index) * 10_000) {
            if left.subtract(1, ordering: .relaxed).newValue == 0 { server.process.kill() }
          })
    }
    for work in results { history.acknowledged.append(work.acknowledged) }
    return history.seen + results.flatMap(\.seen)
  }

  private struct Work {
    var acknowledged: [Int] = []
    var seen: [Cursor] = []
  }

  /// Posts one number after the other until the service is gone.
  ///
  /// - Returns: Those that were acknowledged.
  private static func write(
    _ port: UInt16, _ first: Int, acknowledged: () -> Void
  ) -> [Int] {
    let session = SessionClient(HTTPClient(port: port), path)
    var numbers: [Int] = []
    while let answer = try? session.post(#"{"add":\#(first + numbers.count)}"#) {
      guard answer.status == 200 else { break }
      numbers.append(first + numbers.count)
      acknowledged()
    }
    return numbers
  }

  /// Reads a stream until the service is gone.
  private static func watch(_ port: UInt16, _ resumption: [String: String]) -> [Cursor] {
    var seen: [Cursor] = []
    guard
      let stream = try? EventStream(port: port, path + "/events?replay=all", resumption)
    else { return seen }
    while let event = try? stream.nextEvent() {
      if let cursor = event.cursor { seen.append(cursor) }
    }
    return seen
  }
}

/// What clients know of a session across the lives of the service.
private struct History {
  /// What each writer was told that it is there, in its order.
  var acknowledged: [[Int]] = []
  /// What a subscriber has seen.
  var seen: [Cursor] = []
  /// How much of the log was checked.
  var version = 0
  private var sum = 0
  private var versions: [Int: Int] = [:]

  var resumption: [String: String] {
    seen.last.map { ["Last-Event-ID": $0.description] } ?? [:]
  }

  /// Reads what is new in the log, and compares all of it with what was acknowledged.
  mutating func check(_ session: SessionClient) throws {
    var page: String? = session.path + "/log?after=\(version)&limit=1000"
    while let path = page {
      let answer = try session.client.get(path)
      for entry in try answer.json.array ?? [] {
        version += 1
        #expect(entry["version"]?.int == version)
        let number = try #require(entry["action"]?["add"]?.int)
        #expect(versions.updateValue(version, forKey: number) == nil, "\(number) is there twice")
        sum += number
      }
      page = answer.nextPage
    }
    for numbers in acknowledged {
      let found = numbers.compactMap { versions[$0] }
      #expect(found.count == numbers.count, "acknowledged and lost")
      #expect(found == found.sorted())
    }
    let state = try session.state()
    #expect(try state.json == ["value": .number(Double(sum))])
    #expect(state.cursor?.version == version)
    if let last = seen.last { #expect(last.version <= version) }
  }
}
