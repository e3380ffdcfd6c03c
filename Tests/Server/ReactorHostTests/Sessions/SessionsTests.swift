import ReactorHost
import ReactorLog
import ReactorStreams
import Shares
import Telemetry
import Testing

/// How sessions are created, loaded, evicted and ended.
struct SessionsTests {
  private let stage = Stage()

  private func state(_ value: Int) -> String {
    #"{"value":\#(value),"name":null,"ratio":null}"#
  }

  // MARK: Intents

  @Test func `use creates a session in memory that is not stored`() throws {
    let session = try stage.session()
    #expect(session.shown == "0 \(state(0))")
    #expect(try stage.log.session(session.key).record() == .none)
    #expect(try stage.session() === session)
    _ = try session.send(#""nothing""#)
    #expect(try stage.log.session(session.key).record() == .none)
    _ = try session.send(#"{"add":1}"#)
    guard case .stored(let stored) = try stage.log.session(session.key).record() else {
      Issue.record("It was not stored.")
      return
    }
    #expect(stored.epoch == session.epoch && stored.version == 1)
  }

  @Test func `liveSession creates no session`() throws {
    let reactor = try stage.reactor()
    #expect(reactor.liveSession("a") == nil)
    let session = try stage.session("a")
    #expect(reactor.liveSession("a") === session)
    #expect(reactor.liveSession("b") == nil)
    #expect(reactor.liveSessionCount == 1)
    try stage.end("a")
    #expect(reactor.liveSession("a") == nil)
  }

  @Test func `ensure creates a session unless it exists`() throws {
    let first = try #require(try stage.open(for: .ensure).values.first).get()
    #expect(first.wasCreated)
    let second = try #require(try stage.open(for: .ensure).values.first).get()
    #expect(!second.wasCreated)
    #expect(first.session === second.session)
  }

  @Test func `create creates a session, and fails if it exists`() throws {
    #expect(try #require(try stage.open(for: .create).values.first).get().wasCreated)
    #expect(try stage.openingError(for: .create) == .exists)
    _ = try stage.session("other")
    #expect(try stage.openingError("other", for: .create) == .exists)
  }

  @Test(arguments: [SessionIntent.ensure, .create])
  func `a created session is stored at once`(intent: SessionIntent) throws {
    let log = MemoryLog()
    let cursor = try Stage(over: log).session(for: intent).current.cursor
    #expect(try Stage(over: log).session().current.cursor == cursor)
  }

  @Test func `ensure and create find a stored session, also if the log cannot be written`() throws {
    let log = MemoryLog()
    let epoch = try Stage(over: log).session(for: .ensure).epoch
    for error in [nil, LogError.full] {
      let stage = Stage(over: log)
      if let error { stage.log.set(.failing(error)) }
      #expect(try stage.openingError(for: .create) == .exists)
      let ensured = try #require(try stage.open(for: .ensure).values.first).get()
      #expect(!ensured.wasCreated)
      #expect(ensured.session.epoch == epoch)
    }
  }

  @Test(arguments: [SessionIntent.ensure, .create])
  func `a session that has ended in the log is created with another epoch`(
    intent: SessionIntent
  ) throws {
    let log = MemoryLog()
    let first = Stage(over: log)
    let epoch = try first.session(for: .ensure).epoch
    try first.end()
    let created = try #require(try Stage(over: log).open(for: intent).values.first).get()
    #expect(created.wasCreated)
    #expect(created.session.epoch != epoch)
  }

  @Test func `ensure stores a session that was in memory only`() throws {
    let log = MemoryLog()
    let stage = Stage(over: log)
    let session = try stage.session()
    let ensured = try #require(try stage.open(for: .ensure).values.first).get()
    #expect(ensured.session === session)
    #expect(!ensured.wasCreated)
    #expect(try Stage(over: log).session().epoch == session.epoch)
    #expect(try session.send(#"{"add":1}"#).values == ["committed 1 \(state(1))"])
  }

  @Test func `with explicit creation, use creates no session`() throws {
    let stage = Stage { $0.sessionCreation = .explicit }
    #expect(try stage.openingError() == .unknown)
    #expect(try stage.openingError() == .unknown)
    let made = try stage.session(for: .ensure)
    #expect(try stage.session() === made)
    #expect(try stage.fork("unknown", to: "copy").failure == .unknown)
  }

  @Test func `the number of sessions in memory is limited`() throws {
    let stage = Stage { $0.sessionLimit = 20 }
    for number in 0..<20 { _ = try stage.session("s\(number)") }
    #expect(try stage.openingError("one-more") == .tooMany)
    #expect(try stage.session("s7").current.version == 0)
  }

  @Test func `requests during the creation of a session get the same one`() throws {
    stage.log.set(.held)
    let making = try stage.open(for: .ensure)
    let using = try stage.open()
    let taking = try stage.open(for: .create)
    #expect(making.values.isEmpty && using.values.isEmpty && taking.values.isEmpty)
    stage.log.releaseAll()
    let made = try #require(making.values.first).get()
    #expect(made.wasCreated)
    #expect(try #require(using.values.first).get().session === made.session)
    #expect(taking.values.first?.failure == .exists)
  }

  @Test func `the error of a log that creates no session is returned`() throws {
    stage.log.set(.failing(.full))
    #expect(try stage.openingError(for: .create) == .log(.full))
    stage.log.set(.atOnce)
    #expect(try stage.openingError(for: .create) == nil)
  }

  // MARK: Ends

  @Test func `an ended session can be created again, with another epoch`() throws {
    let session = try stage.session()
    _ = try session.send(#"{"add":1}"#)
    try stage.end()
    #expect(try stage.openingError() == .ended)
    let again = try #require(try stage.open(for: .create).values.first).get()
    #expect(again.wasCreated)
    #expect(again.session.epoch != session.epoch)
    #expect(again.session.shown == "0 \(state(0))")
    try stage.end()
    try stage.end()
    #expect(try #require(try stage.open(for: .ensure).values.first).get().wasCreated)
  }

  @Test func `an unknown session can be ended, and that is stored`() throws {
    let log = MemoryLog()
    try Stage(over: log).end()
    #expect(try Stage(over: log).openingError() == .ended)
  }

  @Test func `mutations of an effect are not appended while the session ends`() throws {
    let lines = Recorder<String>()
    let stage = Stage(logger: Logger(level: .error) { _, message, _ in lines.add(message) })
    try stage.session().send(#"{"hold":"a"}"#)
    stage.effects["a"].onNext(.add(1))
    let appends = stage.log.appends.values
    stage.log.set(.held)
    let ended = Recorder<Result<Void, SessionError>>()
    let reactor = try stage.reactor()
    ended.add { try await reactor.endSession("demo") }
    stage.effects["a"].onNext(.add(1))
    stage.log.releaseAll()
    try #require(ended.values.first).get()
    #expect(stage.log.appends.values == appends)
    #expect(lines.values == [])
  }

  @Test func `an ended session does not count against the limit`() throws {
    let stage = Stage { $0.sessionLimit = 2 }
    for number in 1...5 {
      #expect(try stage.openingError("a\(number)") == nil)
      #expect(try stage.openingError("b\(number)") == nil)
      #expect(stage.liveCount == 2)
      #expect(try stage.openingError("c\(number)") == .tooMany)
      try stage.end("a\(number)")
      try stage.end("b\(number)")
      #expect(stage.liveCount == 0)
    }
  }

  @Test
  func `beyond the budget of States idle sessions of the client with the most bytes are evicted`()
    throws
  {
    let ledger = Ledger(memory: 60_000)
    let stage = Stage { $0.ledger = ledger }
    // Each State has more than 2,000 bytes.
    try stage.name.set(String(repeating: "n", count: 2_000))
    let (other, greedy) = (
      ledger.account(of: .principal("other")), ledger.account(of: .principal("greedy"))
    )
    func open(_ id: String, for account: Account) throws {
      let error = try Account.$current.withValue(account) { try stage.openingError(id) }
      #expect(error == nil)
    }
    for number in 0..<3 { try open("other-\(number)", for: other) }
    let bytes = other.held(.states)
    #expect(bytes > 12_000)
    for number in 0..<8 { try open("greedy-\(number)", for: greedy) }
    #expect(ledger.used(.states) <= 60_000 + bytes / 3)
    #expect(other.held(.states) == bytes)
    #expect(stage.liveCount < 11)
    // An evicted session is loaded again.
    try open("greedy-0", for: greedy)
    for number in 0..<8 { try stage.end("greedy-\(number)") }
    for number in 0..<3 { try stage.end("other-\(number)") }
    #expect(ledger.used(.states) == 0)
  }

  @Test func `a session that was not found does not count against the limit`() throws {
    let stage = Stage {
      $0.sessionLimit = 1
      $0.sessionCreation = .explicit
    }
    for id in ["a", "b", "c"] { #expect(try stage.openingError(id) == .unknown) }
    #expect(try stage.openingError("d", for: .create) == nil)
    #expect(try stage.openingError("e") == .tooMany)
  }

  @Test func `a session that the log could not end continues`() throws {
    let session = try stage.session()
    try session.send(#"{"hold":"a"}"#)
    stage.log.set(.failing(.full))
    #expect(throws: SessionError.log(.full)) { try stage.end() }
    stage.log.set(.atOnce)
    stage.effects["a"].onNext(.add(1))
    #expect(session.shown == "1 \(state(1))")
  }

  @Test func `the end cancels effects, responds to requests and notifies observers`() throws {
    let session = try stage.session()
    let watcher = Watcher()
    _ = session.observe(watcher)
    let outcomes = try session.send(#"{"hold":"a"}"#)
    #expect(stage.effects["a"].hasObservers)
    try stage.end()
    #expect(outcomes.values == ["ended"])
    #expect(!stage.effects["a"].hasObservers)
    #expect(watcher.seen.values == ["deleted"])
    stage.effects["a"].onNext(.add(1))
    #expect(try session.send(#"{"add":1}"#).values == ["ended"])
    #expect(session.shown == "0 \(state(0))")
    #expect(session.observe(watcher) == nil)
  }

  @Test func `a request whose commit is pending at the end gets the end as its response`() throws {
    let session = try stage.session()
    stage.log.set(.held)
    let outcomes = try session.send(#"{"add":1}"#)
    let ends = Recorder<Result<Void, SessionError>>()
    let reactor = try stage.reactor()
    ends.add { try await reactor.endSession("demo") }
    let next = try stage.open(for: .ensure)
    stage.log.releaseAll()
    #expect(ends.values.count == 1)
    // The append was first, so that the action is committed.
    #expect(outcomes.values == ["committed 1 \(state(1))"])
    let made = try #require(next.values.first).get()
    #expect(made.wasCreated && made.session.epoch != session.epoch)
  }

  // MARK: Eviction

  @Test func `an unused session is evicted, and loaded as it was`() throws {
    let cursor: Cursor
    do {
      let session = try stage.session()
      _ = try session.send(#"{"add":5}"#)
      cursor = session.current.cursor
    }
    #expect(stage.liveCount == 1)
    try stage.reactor().sweep()
    #expect(stage.liveCount == 1)
    try stage.reactor().sweep()
    #expect(stage.liveCount == 0)
    let again = try stage.session()
    #expect(again.current.cursor == cursor)
    #expect(again.shown == "1 \(state(5))")
    #expect(try again.send(#"{"add":1}"#).values == ["committed 2 \(state(6))"])
  }

  @Test func `a session with a reference is not evicted`() throws {
    let session = try stage.session()
    try stage.sweep()
    try stage.sweep()
    #expect(try stage.session() === session)
  }

  @Test func `a session that was used since the last sweep is not evicted`() throws {
    _ = try stage.session()
    try stage.reactor().sweep()
    _ = try stage.session()
    try stage.reactor().sweep()
    #expect(stage.liveCount == 1)
    try stage.reactor().sweep()
    #expect(stage.liveCount == 0)
  }

  @Test func `a session with an observer is not evicted`() throws {
    let watcher = Watcher()
    let epoch = try stage.session().epoch
    _ = try stage.session().observe(watcher)
    try stage.sweep()
    #expect(stage.liveCount == 1)
    let session = try stage.session()
    #expect(session.epoch == epoch)
    session.stopObserving(watcher)
    _ = try session.send(#"{"add":1}"#)
    #expect(watcher.seen.values.isEmpty)
  }

  @Test func `a session is not evicted until its effect has ended`() throws {
    _ = try stage.session().send(#"{"hold":"a"}"#)
    try stage.sweep()
    #expect(stage.liveCount == 1)
    stage.effects["a"].onNext(.add(1))
    stage.effects["a"].onCompleted()
    try stage.sweep()
    #expect(stage.liveCount == 0)
    #expect(try stage.session().shown == "1 \(state(1))")
  }

  @Test func `a session with a pending commit is not evicted`() throws {
    stage.log.set(.held)
    let outcomes = try stage.session().send(#"{"add":1}"#)
    try stage.sweep()
    #expect(stage.liveCount == 1)
    stage.log.releaseAll()
    #expect(outcomes.values == ["committed 1 \(state(1))"])
    try stage.sweep()
    #expect(stage.liveCount == 0)
  }

  @Test func `an evicted session without mutations is not stored, and begins again`() throws {
    let cursor = try stage.session().current.cursor
    try stage.sweep()
    #expect(stage.liveCount == 0)
    #expect(
      try stage.log.session(SessionKey(reactor: "sample", id: "demo")).record() == .none)
    #expect(try stage.session().current.cursor == cursor)
  }

  @Test func `finding a session that does not exist creates none`() async throws {
    try await stage.name.set("Ada")
    guard case .absent(let initial) = try await stage.reactor().findSession("demo") else {
      Issue.record("It was found.")
      return
    }
    #expect(initial.words == #"0 {"value":0,"name":"Ada","ratio":null}"#)
    #expect(stage.liveCount == 0)
    #expect(stage.log.appends.values == [])
    let session = try stage.session()
    #expect(session.current.json == initial.json)
    guard case .open(let opened) = try await stage.reactor().findSession("demo") else {
      Issue.record("It was not found.")
      return
    }
    #expect(opened === session)
    try stage.end()
    await #expect(throws: SessionError.ended) { try await stage.reactor().findSession("demo") }
  }

  @Test func `a stored session is loaded to be read`() async throws {
    _ = try stage.session().send(#"{"add":5}"#)
    try stage.sweep()
    guard case .open(let opened) = try await stage.reactor().findSession("demo") else {
      Issue.record("It was not found.")
      return
    }
    #expect(opened.shown == "1 \(state(5))")
  }

  @Test func `the reactor of an evicted session is released`() throws {
    _ = try stage.session()
    #expect(stage.name.observerCount == 1)
    try stage.sweep()
    #expect(stage.name.observerCount == 0)
  }

  // MARK: The list

  @Test func `the list has stored sessions and those in memory, in order and in pages`()
    async throws
  {
    for id in ["b", "d", "a"] { _ = try stage.session(id).send(#"{"add":1}"#) }
    try stage.sweep()
    _ = try stage.session("c")
    _ = try stage.session("e", for: .ensure)
    try stage.end("d")
    let watched = try stage.session("b")
    watched.changeStreams(of: .anonymous, by: 2)
    let all = try await stage.reactor().sessions(after: nil, limit: 10)
    #expect(all.map(\.id) == ["a", "b", "c", "e"])
    #expect(all.map(\.cursor.version) == [1, 1, 0, 0])
    #expect(all.map(\.subscribers) == [0, 2, 0, 0])
    #expect(try await stage.reactor().sessions(after: "a", limit: 2).map(\.id) == ["b", "c"])
    #expect(try await stage.reactor().sessions(after: "c", limit: 2).map(\.id) == ["e"])
    #expect(try await stage.reactor().sessions(after: "e", limit: 2).isEmpty)
  }

  @Test func `pages of a long list have each session once, stored or in memory`() async throws {
    let ids = (0..<300).map { "s\($0 + 1000)" }
    for (index, id) in ids.shuffled().enumerated() {
      _ = try stage.session(id, for: index % 2 == 0 ? .ensure : .use)
      if index % 3 == 0 { try stage.sweep() }
    }
    for id in ids { _ = try stage.session(id) }
    var found: [String] = []
    while true {
      let page = try await stage.reactor().sessions(after: found.last, limit: 37).map(\.id)
      if page.isEmpty { break }
      found += page
    }
    #expect(found == ids)
  }
}
