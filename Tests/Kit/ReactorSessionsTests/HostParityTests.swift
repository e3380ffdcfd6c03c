import ReactorClient
import ReactorCore
import ReactorHost
import ReactorSessions
import ReactorTestingHost
import TestSupport
import Testing

/// Sends actions to other sessions, one after the other, and notes the outcomes.
private final class RelayReactor: Reactor {
  struct Send: Codable {
    var reactor = "relay"
    var id: String
    var expectation = 0
    var action: Action
  }

  struct Action: Codable {
    var name: String
    var sends: [Send] = []
    var fails = false
    /// The number of times that the session sends the action to itself.
    var repeats = 0
  }

  struct Rejection: Error, Equatable {}

  typealias Mutation = String
  typealias State = [String]

  let initialState: State = []
  private let context: SessionContext<NoParameters>

  init(_ context: SessionContext<NoParameters>) { self.context = context }

  func mutate(action: Action) -> Observable<String> {
    var sends = action.sends
    if action.repeats > 0 {
      var next = action
      next.repeats -= 1
      sends.append(Send(id: context.session.id, action: next))
    }
    let origin = ActionOrigin.current
    let steps = sends.map { send in
      context.session(RelayReactor.self, send.reactor, send.id)
        .send(send.action, expecting: [.effects, .commit, .accepted][send.expectation])
        .map { "\(send.action.name) at \($0.count)" }
        .catch { .just("\(send.action.name) \($0)") }
    }
    return .concat(
      [.just("\(action.name) of \(origin)")] + steps
        + [action.fails ? .error(Rejection()) : .just("end of \(action.name)")])
  }

  func reduce(state: State, mutation: String) -> State { state + [mutation] }
}

/// The sends of an app have the order, the States and the errors of hosted sends.
struct HostParityTests {
  private static let ids = ["a", "b", "c"]

  /// Returns an action with a tree of sends, in which each send waits for its effects: there is one right
  /// order.
  private static func action(
    depth: Int, using random: inout SplitMix64, counter: inout Int
  ) -> RelayReactor.Action {
    counter += 1
    var action = RelayReactor.Action(name: "\(counter)", fails: random.next() % 4 == 0)
    guard depth > 0 else { return action }
    for _ in 0..<(random.next() % 4) {
      var send = RelayReactor.Send(
        id: ids.randomElement(using: &random) ?? "a",
        action: Self.action(depth: depth - 1, using: &random, counter: &counter))
      switch random.next() % 12 {
      case 0: send.id = [".", "", "a b", "ä"].randomElement(using: &random) ?? "."
      case 1: send.reactor = "none"
      case 2: (send.reactor, send.id) = ("none", "..")
      default: break
      }
      action.sends.append(send)
    }
    return action
  }

  private static func hosted(_ action: RelayReactor.Action) async throws -> [[String]] {
    // A send waits for its effects without a limit that a busy machine reaches.
    let server = TestService([
      ReactorRegistration("relay", summary: "Relays") { RelayReactor($0) }
    ]).server()
    let sessions = ids.map { server.reactor(RelayReactor.self, "relay", session: $0) }
    _ = try? await sessions[0].send(action, expecting: .effects)
    var states: [[String]] = []
    for session in sessions { states.append(try await session.state()) }
    return states
  }

  private static func local(_ action: RelayReactor.Action) async throws -> [[String]] {
    let sessions = LocalSessions(wait: .seconds(3600))
    sessions.register("relay") { RelayReactor($0) }
    // A client's action, without a sender.
    let first = RelayReactor(sessions.context("relay", "a"))
    sessions.add(first, as: "relay", "a")
    RequestContext.$current.withValue(RequestContext(id: "test")) { first.action.onNext(action) }
    let context = sessions.context("test", "")
    var states: [[String]] = []
    for id in ids {
      var values = context.session(RelayReactor.self, "relay", id).state.values.makeAsyncIterator()
      states.append(try #require(try await values.next()))
    }
    return states
  }

  @Test(arguments: 0..<40)
  func `a tree of sends leaves the same States in an app and in a host`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var counter = 0
    let action = Self.action(depth: 4, using: &random, counter: &counter)
    #expect(try await Self.local(action) == Self.hosted(action))
  }

  @Test(arguments: [31, 32, 33, 40])
  func `a chain of sends has the same limit in an app and in a host`(length: Int) async throws {
    let action = RelayReactor.Action(name: "chain", repeats: length)
    let states = try await Self.local(action)
    #expect(try await states == Self.hosted(action))
    #expect(states[0].contains { $0.contains("tooDeep") } == (length > 32))
  }
}
