import LogTestSupport
import ReactorCore
import ReactorLog
import ReactorStreams
import TestSupport
import Testing

@testable import ReactorHost

/// A host that only serves reads.
struct PausedTests {
  /// A reactor whose streams act, tick and show other States on their own, from the moment when a session
  /// is loaded.
  private final class Clockwork: Reactor {
    enum Action: Codable, Sendable { case start, set(Int) }
    enum Mutation: Codable, Sendable { case ticked, started, set(Int) }
    struct State: Codable, Sendable {
      var value = 0
      var ticks = 0
      var starts = 0
    }

    let initialState = State()
    private let subscriptions: Recorder<String>

    init(_ subscriptions: Recorder<String>) {
      self.subscriptions = subscriptions
    }

    /// A value at once, and then one per millisecond.
    private func clock<Value: Sendable>(_ name: String, _ value: Value) -> Observable<Value> {
      .deferred { [subscriptions] in
        subscriptions.add(name)
        return Observable<Int>.interval(.milliseconds(1), scheduler: TaskScheduler.instance)
          .map { _ in value }.startWith(value)
      }
    }

    func transform(action: Observable<Action>) -> Observable<Action> {
      .merge(action, clock("action", .start))
    }

    func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
      .merge(mutation, clock("mutation", .ticked))
    }

    func transform(state: Observable<State>) -> Observable<State> {
      state.map { state in
        var shown = state
        shown.value += 1000
        return shown
      }
    }

    func mutate(action: Action) -> Observable<Mutation> {
      switch action {
      case .start: .merge(.just(.started), clock("effect", .ticked))
      case .set(let value): .just(.set(value))
      }
    }

    func reduce(state: State, mutation: Mutation) -> State {
      var state = state
      switch mutation {
      case .ticked: state.ticks += 1
      case .started: state.starts += 1
      case .set(let value): state.value = value
      }
      return state
    }
  }

  private let log = MemoryLog()

  private func host(
    isPaused: Bool, _ subscriptions: Recorder<String> = Recorder(),
    over log: (any MutationLog)? = nil
  ) -> Host {
    var settings = HostSettings()
    if isPaused { settings.pause() }
    return Host(
      [
        ReactorRegistration("clock", summary: "Ticks") { Clockwork(subscriptions) }
      ], log: log ?? self.log, settings: settings)
  }

  @Test func `no stream of a transform runs, and the stored State is shown`() async throws {
    let key = SessionKey(reactor: "clock", id: "c")
    do {
      let subscriptions = Recorder<String>()
      let double = LogDouble(log)
      let running = host(isPaused: false, subscriptions, over: double)
      let session = try running.open("clock", "c", for: .ensure)
      // The streams run: the test would find them.
      try await eventually { session.current.version > 10 }
      try session.send(#"{"set":7}"#)
      // `send` returns before the commit, and a crash discards what is not committed.
      try await eventually { session.current.words.contains(#""value":1007"#) }
      // The thread of a tick writes nothing after the crash.
      double.set(.held)
      try await eventually { double.heldCount > 0 }
      running.crash()
      #expect(Set(subscriptions.values) == ["action", "mutation", "effect"])
    }
    let stored = try #require(try log.session(key).record().stored)

    let subscriptions = Recorder<String>()
    let paused = host(isPaused: true, subscriptions)
    let session = try paused.open("clock", "c")
    let watcher = Watcher()
    let shown = try #require(session.observe(watcher))
    #expect(shown.version == stored.version)
    #expect(shown.words.contains(#""value":1007"#))
    let found = try await #require(paused.reactor("clock")).findSession("none")
    guard case .absent(let absent) = found else {
      Issue.record("It was found.")
      return
    }
    #expect(absent.words == #"0 {"value":1000,"ticks":0,"starts":0}"#)
    // Work that the session has enqueued is done before a later read of it.
    #expect(try await session.state(at: shown.version).words == shown.words)
    #expect(subscriptions.values == [])
    #expect(watcher.seen.values == [])
    #expect(try log.session(key).record().stored == stored)

    // The next host that is not paused continues.
    let next = try host(isPaused: false).open("clock", "c")
    try await eventually { next.current.version > stored.version }
  }
}

extension SessionRecord {
  /// The session, if it exists and has not ended.
  fileprivate var stored: StoredSession? {
    if case .stored(let session) = self { session } else { nil }
  }
}
