import LogTestSupport
import ReactorLog
import Testing

/// Writing, in every log.
@Suite(.serialized) struct WritingTests {
  @Test(arguments: LogKind.allCases)
  func `a session that was never stored has no record`(_ kind: LogKind) throws {
    let log = try LogUnderTest(kind)
    #expect(try log.session().record() == .none)
    #expect(try log.session().entries(after: 0, limit: 10) == [])
    #expect(try log.session().snapshot(atOrBefore: 10) == nil)
    #expect(try log.log.sessions(of: "counter", after: nil, limit: 10) == [])
  }

  @Test(arguments: LogKind.allCases)
  func `a created session is stored without mutations`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    try await log.session().create(epoch: "one")
    let stored = try #require(try log.session().stored)
    #expect(stored.epoch == "one")
    #expect(stored.version == 0)
  }

  @Test(arguments: LogKind.allCases)
  func `a session cannot be created twice`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    try await log.session().create(epoch: "one")
    await #expect(throws: LogError.conflict) { try await log.session().create(epoch: "two") }
    #expect(try log.session().stored?.epoch == "one")
  }

  @Test(arguments: LogKind.allCases)
  func `entries are read in the order of their append`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...3, to: "one")
    try await session.append(4...5, to: "one")
    #expect(
      try log.session().entries(after: 0, limit: 10) == (1...5).map { LogEntry(counted: $0) })
    #expect(try session.entries(after: 1, limit: 2).map(\.version) == [2, 3])
    #expect(try session.entries(after: 5, limit: 2) == [])
    let stored = try #require(try session.stored)
    #expect(stored.version == 5)
    #expect(stored.lastActiveAt == LogEntry(counted: 5).at)
  }

  @Test(arguments: LogKind.allCases)
  func `an append to another version than the log has changes nothing`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...3, to: "one")
    for versions in [1...1, 3...3, 5...6] {
      await #expect(throws: LogError.conflict) { try await session.append(versions, to: "one") }
    }
    #expect(try session.stored?.version == 3)
    try await session.append(4...4, to: "one")
  }

  @Test(arguments: LogKind.allCases)
  func `an append to another epoch changes nothing`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...3, to: "one")
    await #expect(throws: LogError.conflict) { try await session.append(4...4, to: "two") }
    #expect(try session.entries(after: 3, limit: 10) == [])
  }

  @Test(arguments: LogKind.allCases)
  func `an append to an unknown session begins with version 1`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    await #expect(throws: LogError.conflict) { try await log.session().append(2...2, to: "one") }
    #expect(try log.session().record() == .none)
  }

  @Test(arguments: LogKind.allCases)
  func `the slower one of two handles is rejected`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let (first, second) = (log.session(), log.session())
    try await first.append(1...1, to: "one")
    await #expect(throws: LogError.conflict) { try await second.append(1...1, to: "two") }
    await #expect(throws: LogError.conflict) { try await second.append(1...1, to: "one") }
    try await second.append(2...2, to: "one")
    #expect(try first.entries(after: 0, limit: 10).count == 2)
  }

  @Test(arguments: LogKind.allCases)
  func `an ended session is recorded as ended`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...3, to: "one")
    session.save(Snapshot(version: 2, state: Array("2".utf8)), of: "one")
    try await session.end()
    #expect(try session.record() == .ended)
    #expect(try session.entries(after: 0, limit: 10) == [])
    #expect(try session.snapshot(atOrBefore: 10) == nil)
    await #expect(throws: LogError.conflict) { try await session.append(4...4, to: "one") }
    await #expect(throws: LogError.conflict) { try await session.append(1...1, to: "one") }
    #expect(try log.log.sessions(of: "counter", after: nil, limit: 10) == [])
    try await session.end()
  }

  @Test(arguments: LogKind.allCases)
  func `a session that was never stored can be ended`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    try await log.session().end()
    #expect(try log.session().record() == .ended)
  }

  @Test(arguments: LogKind.allCases)
  func `an ended session can be created again, without its history`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(
      [LogEntry(counted: 1, global: .init(name: "user", revision: 3))],
      to: "one", expecting: 0)
    try await session.end()
    try await session.create(epoch: "two")
    let stored = try #require(try session.stored)
    #expect(stored.epoch == "two")
    #expect(stored.version == 0)
    #expect(stored.globals == [:])
    #expect(try session.entries(after: 0, limit: 10) == [])
    try await session.append(1...2, to: "two")
    #expect(try session.stored?.version == 2)
  }

  @Test(arguments: LogKind.allCases)
  func `a creation that does not replace an ended session fails if there is one`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.create(epoch: "one", replacesEnded: false)
    try await session.append(1...2, to: "one")
    await #expect(throws: LogError.conflict) {
      try await session.create(epoch: "two", replacesEnded: false)
    }
    #expect(try session.stored?.version == 2)
    try await session.end()
    await #expect(throws: LogError.conflict) {
      try await session.create(epoch: "two", replacesEnded: false)
    }
    #expect(try session.record() == .ended)
    // An end without a session is one, too.
    try await log.session("gone").end()
    await #expect(throws: LogError.conflict) {
      try await log.session("gone").create(epoch: "two", replacesEnded: false)
    }
    try await session.create(epoch: "two")
    #expect(try session.stored?.epoch == "two")
  }

  @Test(arguments: LogKind.allCases)
  func `the latest revision of each global is stored`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    let marks: [LogEntry.GlobalMark?] = [
      .init(name: "user", revision: 1), nil, .init(name: "user", revision: 4),
      .init(name: "theme", revision: 2),
    ]
    let entries = marks.enumerated().map { LogEntry(counted: $0.offset + 1, global: $0.element) }
    try await session.append(entries, to: "one", expecting: 0)
    #expect(try session.stored?.globals == ["user": 4, "theme": 2])
    #expect(try session.entries(after: 0, limit: 10) == entries)
    try await log.log.fork("demo", at: 2, to: "other", epoch: "two")
    #expect(try log.session("other").stored?.globals == ["user": 1])
  }

  @Test(arguments: LogKind.allCases)
  func `text is stored unchanged, byte for byte`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let texts = [
      "\"\"", "\"\\u0000\"", "\"é\u{1F600}\"",
      "{\"a\":\"\(String(repeating: "x", count: 100_000))\"}",
    ]
    let entries = texts.enumerated().map { index, text in
      LogEntry(
        version: index + 1, at: Timestamp(milliseconds: -5), action: Array(text.utf8),
        mutation: Array(text.utf8))
    }
    try await log.session().append(entries, to: "one", expecting: 0)
    #expect(try log.session().entries(after: 0, limit: 10) == entries)
  }

  @Test(arguments: LogKind.ofOneStore)
  func `an announced source is requested once per announcement`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let source = CountedSource(log.session())
    for count in 1...20 {
      log.session().announce(source)
      // A source is requested before later operations.
      try await log.log.drain()
      try await log.log.drain()
      #expect(source.requestCount == count)
      #expect(source.committedCount == count)
    }
    #expect(try log.session().stored?.version == 20)
  }

  @Test(arguments: LogKind.allCases)
  func `one of many writers that expect the same version succeeds`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let served = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask { [session = log.session()] in
          var served = 0
          while served < 1000, let version = try? session.stored?.version ?? 0, version < 200 {
            do {
              try await session.append(version + 1...version + 1, to: "one")
              served += 1
            } catch LogError.lost {}
          }
          return served
        }
      }
      return try await group.reduce(0, +)
    }
    let versions = try log.session().entries(after: 0, limit: 1000).map(\.version)
    #expect(versions == Array(1...served))
    #expect(served >= 200)
  }
}
