import ReactorCoding
import ReactorCore
import ReactorStreams
import Testing

@testable import ReactorHost

/// The maximum depth of actions, mutations and States as JSON.
struct DepthTests {
  private let host = Host([
    ReactorRegistration("documents", summary: "Values of any depth") { DocumentReactor() },
    ReactorRegistration("thread", summary: "A State that grows deeper") { ThreadReactor() },
  ])

  /// An action that contains an array of a depth.
  private func put(_ depth: Int) -> String {
    #"{"put":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
  }

  private func evict(_ reactor: String) {
    for _ in 0..<2 { host.reactor(reactor)?.sweep() }
    #expect(host.reactor(reactor)?.liveSessionCount == 0)
  }

  @Test func `a mutation of the maximum depth is committed and loaded again`() throws {
    #expect(
      try host.open("documents", "demo").send(put(498)).values.first?.hasPrefix("committed 1 ")
        == true)
    evict("documents")
    #expect(try host.open("documents", "demo").current.version == 1)
  }

  @Test func `a deeper mutation is rejected, and the session continues`() throws {
    do {
      let session = try host.open("documents", "demo")
      #expect(try session.send(put(499)).values == ["failed StateTooDeepError"])
      #expect(session.shown == #"0 {"documents":{}}"#)
      #expect(try session.send(put(1)).values == [#"committed 1 {"documents":{"a":[]}}"#])
    }
    evict("documents")
    #expect(try host.open("documents", "demo").shown == #"1 {"documents":{"a":[]}}"#)
  }

  @Test func `an action that is nested deeper is malformed`() throws {
    let session = try host.open("documents", "demo")
    #expect(throws: ActionDecodingError.self) { try session.send(put(500)) }
    #expect(session.current.version == 0)
  }

  @Test func `a State that grows deeper is rejected at the maximum depth, and loaded again`()
    async throws
  {
    let body = "[" + Array(repeating: #""reply""#, count: 300).joined(separator: ",") + "]"
    let outcomes = try host.open("thread", "demo").send(body)
    try await eventually { !outcomes.values.isEmpty }
    // The State is an object, and each reply is an object with an array.
    #expect(outcomes.values == ["failed StateTooDeepError at 249"])
    let shown = try host.open("thread", "demo").shown
    #expect(shown.hasPrefix("249 "))
    try await eventually {
      host.reactor("thread")?.sweep()
      return host.reactor("thread")?.liveSessionCount == 0
    }
    #expect(try host.open("thread", "demo").shown == shown)
  }

  @Test func `the error is stored as that of a State that is too large`() {
    let failure = ActionFailure(index: 3, StateTooDeepError(limit: 500))
    #expect(failure.kind == .stateTooLarge)
    #expect(failure.reason?.status == 507)
  }
}

/// A reactor whose State contains values of its actions.
private final class DocumentReactor: Reactor {
  enum Action: Codable, Sendable {
    case put(JSONValue)
  }

  enum Mutation: Codable, Sendable {
    case set(id: String, to: JSONValue)
  }

  struct State: Codable, Sendable {
    var documents: [String: JSONValue] = [:]
  }

  let initialState = State()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .put(let value): .just(.set(id: "a", to: value))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    if case .set(let id, let value) = mutation { state.documents[id] = value }
    return state
  }
}

/// A reactor whose State becomes deeper with each action.
private final class ThreadReactor: Reactor {
  enum Action: Codable, Sendable {
    case reply
  }

  struct Comment: Codable, Sendable {
    var replies: [Comment] = []
  }

  struct State: Codable, Sendable {
    var root: Comment?
  }

  typealias Mutation = Action

  let initialState = State()

  func reduce(state: State, mutation: Mutation) -> State {
    State(root: Comment(replies: state.root.map { [$0] } ?? []))
  }
}
