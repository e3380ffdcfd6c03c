import ReactorCore
import ReactorFlows
import ReactorHost
import ReactorLog
import Testing

/// Flows whose modules differ between releases.
struct ReleaseTests {
  /// The modules of a release.
  protocol Release: Sendable {
    static var hasHelp: Bool { get }
  }

  enum Earlier: Release { static let hasHelp = true }
  enum Later: Release { static let hasHelp = false }

  /// A flow of one of the releases, whose modules are computed.
  final class ManualFlow<R: Release>: Coordinator {
    enum Action: Codable, Sendable { case stack(StackAction<ManualFlow>) }
    enum Mutation: Codable, Sendable, StackChanging { case stack(StackMutation<ManualFlow>) }
    enum Step: Codable, Sendable { case none }
    struct State: Codable, StackHolding { var stack = Stack<ManualFlow>(PageReactor.State()) }

    static var modules: [Module<ManualFlow>] {
      let page = Module<ManualFlow>(
        "page", PageReactor.self, link: Link("pages", { $0.text }) { .init(text: $0) },
        make: { _ in PageReactor() })
      let help = Module<ManualFlow>(
        "help", HelpReactor.self, link: Link("help") { .init() }, make: { _ in HelpReactor() })
      return R.hasHelp ? [page, help] : [page]
    }

    let initialState = State()
    let router = NavigationRouter<ManualFlow>()

    func mutate(action: Action) -> Observable<Mutation> {
      switch action {
      case .stack(let action): router.mutate(action, in: self)
      }
    }

    func coordinate(_ step: Step) -> Observable<Mutation> { .empty() }

    func follow(_ mutation: Mutation) -> Observable<Mutation> {
      switch mutation {
      case .stack(let mutation): router.follow(mutation, in: self)
      }
    }

    func reduce(state: State, mutation: Mutation) -> State {
      var state = state
      switch mutation {
      case .stack(let mutation): router.reduce(&state.stack, mutation, in: self)
      }
      return state
    }
  }

  final class PageReactor: Reactor {
    enum Action: Codable, Sendable { case write(String) }
    typealias Mutation = Action
    struct State: Codable { var text = "" }
    let initialState = State()

    func reduce(state: State, mutation: Mutation) -> State {
      switch mutation {
      case .write(let text): State(text: text)
      }
    }
  }

  private let log = MemoryLog()

  private func open<R: Release>(_: R.Type) async throws -> any Session {
    let host = Host([ReactorRegistration("manual", summary: "") { ManualFlow<R>() }], log: log)
    return try await #require(host.reactor("manual")).session("one", for: .use).session
  }

  private func send(_ json: String, to session: any Session) async throws -> String {
    let (outcomes, outcome) = AsyncStream<ActionOutcome>.makeStream()
    try session.submit(
      Array(json.utf8), ifAt: nil, key: nil, for: nil,
      accepted: { outcome.yield(.committed($0)) }, completion: { outcome.yield($0) })
    for await case .committed(let state) in outcomes {
      return String(decoding: state.json, as: UTF8.self)
    }
    throw CancellationError()
  }

  @Test func `modules may be computed`() async throws {
    let session = try await open(Earlier.self)
    _ = try await send(#"{"stack":{"open":"/pages/a/help"}}"#, to: session)
    let write = #"{"page":{"write":"b"}}"#
    let json = try await send(
      #"{"stack":{"send":{"to":"2","action":\#(write)}}}"#, to: session)
    #expect(json.hasPrefix(#"{"stack":{"path":"/pages/b/help""#))
  }

  @Test func `a screen that a release no longer has is reported, with the known ones`() async throws
  {
    let session = try await open(Earlier.self)
    _ = try await send(#"{"stack":{"open":"/pages/a/help"}}"#, to: session)
    do {
      _ = try await open(Later.self)
      Issue.record("The session was opened.")
    } catch SessionError.log(.unreadable(let version, let reason)) {
      #expect(version == 2)
      #expect(reason.hasPrefix(#"at "/stack/present": "#))
      #expect(reason.contains("help"))
      #expect(reason.contains("page"))
    }
    // The release that has the screen reads the session as it was.
    #expect(
      String(decoding: try await open(Earlier.self).current.json, as: UTF8.self)
        .hasPrefix(#"{"stack":{"path":"/pages/a/help""#))
  }
}
