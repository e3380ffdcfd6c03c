import ReactorLog
import TestSupport
import Testing

/// Loading a session with one call, in every log.
@Suite(.serialized) struct LoadTests {
  /// Reads the entries of a loaded session: the first page, then the others.
  private func versions(
    of loaded: LoadedSession, in session: any SessionLog
  ) throws -> [Int] {
    var versions = loaded.entries.map(\.version)
    while let last = versions.last {
      let page = try session.entries(after: last, limit: 1000)
      guard !page.isEmpty else { break }
      versions += page.map(\.version)
    }
    return versions
  }

  @Test(arguments: LogKind.allCases)
  func `a session that is not stored, or has ended, has nothing else`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    for record in [SessionRecord.none, .ended] {
      let loaded = try session.load(schema: "a")
      #expect(loaded.record == record)
      #expect(loaded.snapshot == nil && loaded.entries.isEmpty)
      #expect(loaded.acceptedActions.isEmpty && loaded.timers.isEmpty)
      if record == .none {
        try await session.append(1...3, to: "one")
        try await session.end()
      }
    }
  }

  @Test(arguments: LogKind.allCases)
  func `a load has the latest snapshot of the schema, and the entries after it`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    try await session.append(1...10, to: "one")
    for (version, schema) in [(4, "a"), (8, "b"), (10, "c")] {
      session.save(Snapshot(version: version, state: [], schema: schema), of: "one")
    }
    try await log.log.drain()
    let cases: [(schema: String?, snapshot: Int?, versions: [Int])] = [
      ("a", 4, Array(5...10)), ("b", 8, [9, 10]), ("c", 10, []), (nil, 10, []),
      ("other", nil, Array(1...10)),
    ]
    for expected in cases {
      let loaded = try session.load(schema: expected.schema)
      guard case .stored(var stored) = loaded.record else { throw LogError.lost(to: nil) }
      stored.formerVersion = -1
      #expect(.stored(stored) == (try session.record()))
      #expect(loaded.snapshot?.version == expected.snapshot)
      #expect(try versions(of: loaded, in: session) == expected.versions)
    }
  }

  @Test(arguments: LogKind.allCases)
  func `if retention has removed the beginning, it begins with a snapshot of another schema`(
    _ kind: LogKind
  ) async throws {
    let log = try LogUnderTest(kind, retained: 30)
    let session = log.session()
    for start in stride(from: 1, through: 91, by: 10) {
      try await session.append(start...start + 9, to: "one")
      session.save(Snapshot(version: start + 4, state: []), of: "one")
    }
    // The next commits delete the entries.
    for _ in 0..<20 { try await log.log.drain() }
    try await wait(until: { try session.entries(after: 0, limit: 1).first?.version != 1 })
    let loaded = try session.load(schema: "new")
    #expect(loaded.snapshot?.version == 95)
    #expect(try versions(of: loaded, in: session) == Array(96...100))
  }

  @Test(arguments: LogKind.allCases)
  func `a long log comes in pages`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    for start in stride(from: 1, through: 2001, by: 500) {
      try await session.append(start...start + 499, to: "one")
    }
    let loaded = try session.load(schema: nil)
    #expect((1...1000).contains(loaded.entries.count))
    #expect(try versions(of: loaded, in: session) == Array(1...2500))
  }

  @Test(arguments: LogKind.allCases)
  func `a load has the accepted actions in order, and the timers`(_ kind: LogKind) async throws {
    let log = try LogUnderTest(kind)
    let session = log.session()
    let actions = [1, 2, 3].map { request in
      AcceptedAction(
        id: .init(request: request, place: 0), action: Array("\"a\"".utf8), isInArray: false,
        key: nil, at: Timestamp(milliseconds: 5), runs: 1, failure: nil)
    }
    let timer = StoredTimer(
      id: "t", due: Timestamp(milliseconds: 9), action: Array("\"a\"".utf8), period: nil,
      catchesUp: false)
    let batch = LogBatch(
      accepted: actions.reversed(), timers: [StoredTimerChange(id: "t", timer: timer)])
    try await session.append(batch, to: "one", expecting: 0)
    let loaded = try session.load(schema: nil)
    #expect(loaded.acceptedActions == actions)
    #expect(loaded.timers == [timer])
    #expect(loaded.entries.isEmpty)
  }
}
