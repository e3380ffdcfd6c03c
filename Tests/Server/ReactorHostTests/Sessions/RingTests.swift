import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Testing

/// Sends that return to a session whose effect waits for them.
struct RingTests {
  private func host(over log: any MutationLog) -> Host {
    Host(
      [ReactorRegistration("ring", summary: "Sends in a ring") { RingReactor($0) }], log: log,
      settings: {
        var settings = HostSettings()
        settings.sendWait = .seconds(600)
        return settings
      }())
  }

  private static let expectations = ["effects", "commit", "accepted"]

  @Test(arguments: 1...5, Self.expectations)
  func `all mutations of a ring are committed before its response`(
    length: Int, expectation: String
  ) async throws {
    for mode in [LogDouble.Mode.atOnce, .elsewhere] {
      for hops in [length, 2 * length, 12] {
        let log = LogDouble(MemoryLog())
        log.set(mode)
        let host = host(over: log)
        let first = try host.open("ring", "0")
        let outcome = try first.send(
          #"{"go":{"hops":\#(hops),"length":\#(length),"expecting":"\#(expectation)"}}"#)
        try await eventually { !outcome.values.isEmpty }
        // Each action causes two mutations, the last one of the ring one.
        let reactor = try #require(host.reactor("ring"))
        try await eventually {
          (0..<length).reduce(0) { $0 + (reactor.liveSession("\($1)")?.current.version ?? 0) }
            == 2 * hops + 1
        }
        #expect(outcome.values.first?.hasPrefix("committed") == true)
        for id in 0..<length {
          let session = try #require(reactor.liveSession("\(id)"))
          let mutations = try await session.entries(after: 0, limit: 100).map {
            String(decoding: $0.mutation, as: UTF8.self)
          }
          #expect(mutations.count == session.current.version)
          try await eventually { session.activity.running == 0 }
        }
        guard expectation == "effects" else { continue }
        #expect(
          try await first.entries(after: 0, limit: 100).last.map(\.mutation)
            == Array(#""back 0""#.utf8))
      }
    }
  }

  @Test func `a ring of sends that cause no mutation ends`() async throws {
    let host = host(over: MemoryLog())
    let first = try host.open("ring", "0")
    let outcome = try first.send(#"{"silent":{"hops":8}}"#)
    try await eventually { !outcome.values.isEmpty }
    try await eventually { first.shown == #"1 ["end"]"# && first.activity.running == 0 }
  }
}

/// Sends its action on to the next session of a ring, and waits for it.
private final class RingReactor: Reactor {
  enum Action: Codable, Sendable {
    case go(hops: Int, length: Int, expecting: String)
    case silent(hops: Int)
  }

  typealias Mutation = String

  let initialState: [String] = []
  private let context: SessionContext<NoParameters>

  init(_ context: SessionContext<NoParameters>) { self.context = context }

  func mutate(action: Action) -> Observable<String> {
    switch action {
    case .go(0, _, _): return .just("end")
    case .go(let hops, let length, let expectation):
      let own = Int(context.session.id) ?? 0
      let next = context.session(RingReactor.self, "ring", "\((own + 1) % length)")
      let action = Action.go(hops: hops - 1, length: length, expecting: expectation)
      let back: Observable<String> =
        switch expectation {
        case "effects": next.send(action).map { _ in "back \(own)" }
        case "commit": next.send(action, expecting: .commit).map { _ in "back \(own)" }
        default: .concat(next.sendOnly(action), .just("back \(own)"))
        }
      return .concat(.just("went"), back)
    case .silent(0): return .just("end")
    case .silent(let hops):
      return context.session(RingReactor.self, "ring", "0").sendOnly(.silent(hops: hops - 1))
    }
  }

  func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
}
