import Foundation
import Synchronization
import Testing

/// Acknowledged actions survive a kill at any moment, and are executed once.
@Suite(.blocking) struct KillTests {
  /// The number of kills; `make test-faults` sets a larger one.
  private static let rounds =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) } ?? 20
  private static let sessions = 3
  /// The number of clients of each session: a subscriber, and writers, the last of which uses
  /// idempotency keys.
  private static let workers = 4

  @Test(arguments: StoreKind.durable)
  func `acknowledged actions survive a kill, once and in order`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let store = try kind.flags("log", in: folder)
    var histories = Array(repeating: History(), count: Self.sessions)
    for round in 0..<Self.rounds {
      let server = try ReactordProcess(store)
      for index in histories.indices {
        let session = SessionClient(server.client(), Self.path(index))
        try histories[index].check(session)
        try histories[index].sendAgain(to: session)
      }
      try load(server, round: round, histories: &histories)
      try server.process.wait()
    }

    let server = try ReactordProcess(store)
    for (index, var history) in histories.enumerated() {
      let session = SessionClient(server.client(), Self.path(index))
      try history.check(session)
      try history.sendAgain(to: session)
      if (history.seen.last?.version ?? -1) < history.version {
        let stream = try EventStream(
          port: server.port, session.path + "/events?replay=all", history.resumption)
        try history.add(stream.events(upTo: history.version).compactMap(\.cursor))
      }
      #expect(history.seen.map(\.version) == Array(0...history.version))
      #expect(Set(history.seen.map(\.epoch)).count == 1)
    }
  }

  private static func path(_ session: Int) -> String {
    "/v1/reactors/counter/sessions/killed-\(session)"
  }

  /// Runs writers and subscribers until the service is killed.
  private func load(
    _ server: ReactordProcess, round: Int, histories: inout [History]
  ) throws {
    let left = Atomic(Int.random(in: 1...300))
    let port = server.port
    let resumptions = histories.map(\.resumption)
    let results = try concurrently(Self.sessions * Self.workers) { index in
      let (session, worker) = index.quotientAndRemainder(dividingBy: Self.workers)
      if worker == 0 {
        return Self.watch(port, Self.path(session), resumptions[session])
      }
      let client = SessionClient(HTTPClient(port: port), Self.path(session))
      let first = (round * Self.sessions * Self.workers + index) * 10_000
      return Self.write(client, first, withKeys: worker == Self.workers - 1) {
        if left.subtract(1, ordering: .relaxed).newValue == 0 { server.process.kill() }
      }
    }
    for (index, work) in results.enumerated() { histories[index / Self.workers].add(work) }
  }

  /// Posts consecutive numbers until the service ends.
  private static func write(
    _ session: SessionClient, _ first: Int, withKeys hasKeys: Bool, acknowledged: () -> Void
  ) -> Work {
    var work = Work()
    var number = first
    while let response = try? session.add(number, withKey: hasKeys) {
      guard response.status == 200 else { break }
      work.acknowledged.append(number)
      number += 1
      acknowledged()
    }
    if hasKeys { work.unanswered = number }
    return work
  }

  /// Reads a stream until the service ends.
  private static func watch(
    _ port: UInt16, _ path: String, _ resumption: [String: String]
  ) -> Work {
    var work = Work()
    guard
      let stream = try? EventStream(port: port, path + "/events?replay=all", resumption)
    else { return work }
    while let event = try? stream.nextEvent() {
      if let cursor = event.cursor { work.seen.append(cursor) }
    }
    return work
  }
}

/// The result of one client.
private struct Work {
  var acknowledged: [Int] = []
  /// The number that was sent with a key and not acknowledged.
  var unanswered: Int?
  var seen: [Cursor] = []
}

extension SessionClient {
  fileprivate func add(_ number: Int, withKey hasKey: Bool) throws -> HTTPResponse {
    try post(#"{"add":\#(number)}"#, hasKey ? ["Idempotency-Key": "\"\(number)\""] : [:])
  }
}

/// The state of a session as its clients know it, across restarts of the service.
private struct History {
  /// The acknowledged numbers of each writer, in order.
  var acknowledged: [[Int]] = []
  /// The events of the subscriber.
  private(set) var seen: [Cursor] = []
  /// The number of log entries that were checked.
  var version = 0
  private var sum = 0
  private var versions: [Int: Int] = [:]
  /// The numbers to send again with their keys: the last acknowledged one of each writer with keys,
  /// and its unacknowledged one.
  private var unsettled: [Int] = []

  var resumption: [String: String] {
    seen.last.map { ["Last-Event-ID": $0.description] } ?? [:]
  }

  mutating func add(_ work: Work) {
    acknowledged.append(work.acknowledged)
    add(work.seen)
    guard let number = work.unanswered else { return }
    unsettled += work.acknowledged.suffix(1) + [number]
  }

  /// Adds the cursors of a stream.
  ///
  /// A session is stored with its first mutation: before that, a restart can change its epoch.
  mutating func add(_ cursors: [Cursor]) {
    if seen.map(\.version) == [0], let first = cursors.first, first.version == 0,
      first.epoch != seen[0].epoch
    {
      seen = []
    }
    seen += cursors
  }

  /// Sends the requests with keys again, and checks that each was executed once.
  mutating func sendAgain(to session: SessionClient) throws {
    for number in unsettled {
      #expect(try session.add(number, withKey: true).status == 200)
      acknowledged.append([number])
    }
    unsettled = []
    try check(session)
  }

  /// Reads the new entries of the log, and compares the log with the acknowledged numbers.
  mutating func check(_ session: SessionClient) throws {
    var page: String? = session.path + "/log?after=\(version)&limit=1000"
    while let path = page {
      let response = try session.client.get(path)
      for entry in try response.json.array ?? [] {
        version += 1
        #expect(entry["version"]?.int == version)
        let number = try #require(entry["action"]?["add"]?.int)
        #expect(versions.updateValue(version, forKey: number) == nil, "\(number) is there twice")
        sum += number
      }
      page = response.nextPage
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
