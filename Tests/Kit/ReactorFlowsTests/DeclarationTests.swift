import ReactorCore
import ReactorHost
import Reactors
import Testing

@testable import ReactorFlows

/// Errors of the declaration of modules, which the host reports at its start.
struct DeclarationTests {
  /// A flow whose modules a test provides.
  ///
  /// Proof: one test sets it, and it alone uses the flow.
  nonisolated(unsafe) static var modules: [Module<OddFlow>] = []

  final class OddFlow: Coordinator {
    enum Action: Codable { case stack(StackAction<OddFlow>) }
    enum Mutation: Codable, StackChanging { case stack(StackMutation<OddFlow>) }
    enum Step: Codable { case none }
    struct State: Codable, StackHolding { var stack = Stack<OddFlow>(First.State()) }

    static var modules: [Module<OddFlow>] { DeclarationTests.modules }
    let initialState = State()
    let router = NavigationRouter<OddFlow>()
    func coordinate(_ step: Step) -> Observable<Mutation> { .empty() }
    func follow(_ mutation: Mutation) -> Observable<Mutation> { .empty() }
    func reduce(state: State, mutation: Mutation) -> State { state }
  }

  @Test(arguments: ["x", "\u{FE0F}"])
  func `the error for a missing screen has at most 64 scalars of its id`(scalar: String) {
    let id = "x" + String(repeating: scalar, count: 100_000)
    let start = String(id.unicodeScalars.prefix(64))
    #expect(
      NavigationError.gone(id).detail
        == "No screen has the id \"\(start)\". Read the State for those that are presented.")
  }

  final class First: Reactor {
    enum Action: Codable { case none }
    struct State: Codable { var name = "" }
    typealias Mutation = Action
    let initialState = State()
  }

  final class Second: Reactor {
    enum Action: Codable { case none }
    struct State: Codable { var name = "" }
    typealias Mutation = Action
    let initialState = State()
  }

  /// Has the State of another module.
  final class Twin: Reactor {
    typealias Action = First.Action
    typealias Mutation = First.Action
    typealias State = First.State
    let initialState = State()
  }

  final class Transforming: Reactor {
    enum Action: Codable { case none }
    struct State: Codable {}
    typealias Mutation = Action
    let initialState = State()
    func transform(mutation: Observable<Mutation>) -> Observable<Mutation> { mutation.map { $0 } }
  }

  private static let first = Module<OddFlow>("first", First.self, make: { _ in First() })

  private static let cases: [(modules: [Module<OddFlow>], problem: String?)] = [
    ([first], nil),
    (
      [
        Module(
          "first", First.self, link: Link("a", \.name) { $0 == "b" ? .init(name: $0) : nil },
          make: { _ in First() })
      ], nil
    ),
    (
      [first, Module("first", Second.self, make: { _ in Second() })],
      "OddFlow has two modules with the name \"first\""
    ),
    (
      [first, Module("twin", Twin.self, make: { _ in Twin() })],
      "OddFlow has two modules with the State State: present cannot select one"
    ),
    (
      [
        Module("first", First.self, link: Link("a") { .init() }, make: { _ in First() }),
        Module("second", Second.self, link: Link("a") { .init() }, make: { _ in Second() }),
      ], "OddFlow has two modules with the link \"a\""
    ),
    (
      [Module("second", Second.self, make: { _ in Second() })],
      "the first screen of OddFlow has a State that belongs to none of its modules"
    ),
    (
      [first, Module("late", Transforming.self, make: { _ in Transforming() })],
      "the module \"late\" of OddFlow overrides transform(mutation:), "
        + "which is not called for a screen"
    ),
    (
      [
        Module(
          "first", First.self, link: Link("a", { $0.name }) { .init(name: $0 + "x") },
          make: { _ in First() })
      ],
      "the module \"first\" of OddFlow has a link that does not return to the text of its "
        + "initial State"
    ),
    (
      [Module("first", First.self, link: Link("a/b") { .init() }, make: { _ in First() })],
      "the module \"first\" of OddFlow has the link \"a/b\": use A-Z a-z 0-9 . _ ~ -"
    ),
  ]

  @Test func `an error of the declaration is one line that names it`() {
    for (modules, problem) in Self.cases {
      Self.modules = modules
      let registration = ReactorRegistration("odd", summary: "A flow") { OddFlow() }
      #expect(registration.declarationProblem == problem)
    }
  }

  @Test func `the flows of the tests are valid, and other reactors have no problem`() {
    let board = TripBoard()
    #expect(ReactorRegistration("trip", summary: "") { TripFlow(board) }.declarationProblem == nil)
    #expect(ReactorRegistration("one", summary: "") { First() }.declarationProblem == nil)
    #expect(OrderFlow(bank: SimulatedBank(latency: .zero)).declarationProblem == nil)
  }
}
