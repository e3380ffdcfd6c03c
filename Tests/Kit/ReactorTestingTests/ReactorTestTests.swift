import ReactorCore
import ReactorTesting
import Synchronization
import Testing

struct ReactorTestTests {
  struct Item: Equatable, Sendable {
    var title: String
    var isDone = false
  }

  struct NotFound: Error, Equatable {
    var id: Int
  }

  final class ListReactor: Reactor {
    enum Action: Sendable { case add(String), load, loadLater, fail(Int), forever, stop, clear }
    enum Mutation: Sendable { case append(String), setLoading(Bool), removeAll }

    struct State: Equatable, Sendable {
      var items: [Item] = []
      var isLoading = false
      @Pulse var alert: String?
    }

    let initialState = State()

    func mutate(action: Action) -> Observable<Mutation> {
      switch action {
      case .add(let title): .just(.append(title))
      case .load:
        .run { send in
          send(.setLoading(true))
          await Task.yield()
          send(.append("loaded"))
          send(.setLoading(false))
        }
      case .loadLater:
        .concat(
          .just(.setLoading(true)),
          Observable.just(.append("late")).delay(.seconds(1), scheduler: MainScheduler.instance),
          .just(.setLoading(false)))
      case .fail(let id): .error(NotFound(id: id))
      case .forever: Observable.never().cancellable(id: "forever")
      case .stop: .cancel(id: "forever")
      case .clear: .just(.removeAll)
      }
    }

    func reduce(state: State, mutation: Mutation) -> State {
      var state = state
      switch mutation {
      case .append(let title): state.items.append(Item(title: title))
      case .setLoading(let isLoading): state.isLoading = isLoading
      case .removeAll:
        state.items = []
        state.alert = "cleared"
      }
      return state
    }
  }

  /// Calls a closure that must record one issue with a text.
  private func issue(_ text: String, _ body: () async -> Void) async {
    let said = Mutex<[String]>([])
    await withKnownIssue {
      await body()
    } matching: { issue in
      said.withLock { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
      return true
    }
    #expect(said.withLock { $0 } == [text])
  }

  @Test func `an action has the expected state`() async {
    let test = ReactorTest(ListReactor())
    await test.send(.add("Milk")) { $0.items = [Item(title: "Milk")] }
    await test.send(.clear) {
      $0.items = []
      $0.alert = "cleared"
    }
    #expect(test.state.alert == "cleared")
    await test.finish()
  }

  @Test(.timeLimit(.minutes(60))) func `the states of a task`() async {
    let test = ReactorTest(ListReactor())
    await test.send(.load, expecting: nil)
    await test.receive { $0.isLoading = true }
    await test.receive { $0.items = [Item(title: "loaded")] }
    await test.receive { $0.isLoading = false }
    await test.finish()
  }

  @Test func `the states of virtual time`() async {
    let test = ReactorTest(ListReactor())
    await test.send(.loadLater) { $0.isLoading = true }
    test.advance(by: .milliseconds(999))
    test.advance(by: .milliseconds(1))
    await test.receive { $0.items = [Item(title: "late")] }
    await test.receive { $0.isLoading = false }
    await test.finish()
  }

  @Test func `an error is expected like a state`() async {
    let test = ReactorTest(ListReactor())
    await test.send(.fail(7))
    await test.receive(failure: NotFound(id: 7))
    await test.finish()
  }

  @Test func `a canceled effect does not continue`() async {
    let test = ReactorTest(ListReactor())
    await test.send(.forever)
    await test.send(.stop)
    await test.finish()
  }

  @Test(.timeLimit(.minutes(60))) func `a test releases its reactor`() async {
    weak var reactor: ListReactor?
    weak var pipeline: AnyObject?
    do {
      let test = ReactorTest(ListReactor())
      (reactor, pipeline) = (test.reactor, test.reactor.pipeline)
      await test.send(.loadLater) { $0.isLoading = true }
      test.advance(by: .seconds(1))
      await test.receive { $0.items = [Item(title: "late")] }
      await test.receive { $0.isLoading = false }
      await test.send(.forever)
      await test.send(.stop)
      await test.finish()
      #expect(reactor != nil && pipeline != nil)
    }
    #expect(reactor == nil)
    #expect(pipeline == nil)
  }

  @Test func `an unexpected state is reported part by part`() async {
    await issue(
      """
      The state after add("Milk") is not the expected one:
        items[0].title: expected "Bread", got "Milk"
        isLoading: expected true, got false
        alert: expected "no", got nil
      """
    ) {
      let test = ReactorTest(ListReactor())
      await test.send(.add("Milk")) {
        $0.items = [Item(title: "Bread")]
        $0.isLoading = true
        $0.alert = "no"
      }
      await test.finish()
    }
  }

  @Test func `an unexpected state is reported with its changes`() async {
    await issue(
      """
      add("Milk") led to a state at once, and none was expected. What it changed:
        items.count: before 0, then 1
        items[0].title: before nothing, then "Milk"
        items[0].isDone: before nothing, then false
      """
    ) {
      let test = ReactorTest(ListReactor())
      await test.send(.add("Milk"))
      await test.finish()
    }
  }

  @Test func `a state that was not expected is reported at the end`() async {
    await issue(
      """
      A state came before the end that was not expected. What it changed:
        isLoading: before true, then false
      """
    ) {
      let test = ReactorTest(ListReactor())
      await test.send(.loadLater) { $0.isLoading = true }
      test.advance(by: .seconds(1))
      await test.receive { $0.items = [Item(title: "late")] }
      await test.finish()
    }
  }

  @Test func `a state that no effect can produce is not waited for`() async {
    await issue(
      "Expected a state, but nothing arrived: no effect runs that could lead to one."
    ) {
      let test = ReactorTest(ListReactor())
      await test.receive { $0.isLoading = true }
      await test.finish()
    }
  }

  @Test func `waiting for an idle effect is limited`() async {
    await issue(
      """
      Expected a state, but nothing arrived: the 1 that run did nothing within 0.001 seconds; \
      virtual time passes by advance(by:).
      """
    ) {
      let test = ReactorTest(ListReactor(), timeout: .milliseconds(1))
      await test.send(.forever)
      await test.receive { $0.isLoading = true }
      await test.send(.stop)
      await test.finish()
    }
  }

  @Test func `an effect that is active at the end is reported`() async {
    await issue(
      "1 effect still runs. Let time pass, end what they wait for, or cancel them."
    ) {
      let test = ReactorTest(ListReactor(), timeout: .milliseconds(1))
      await test.send(.forever)
      await test.finish()
    }
  }

  @Test func `an error in place of a state is reported`() async {
    await issue("Expected a state, got the failure NotFound(id: 7) in mutate.") {
      let test = ReactorTest(ListReactor())
      await test.send(.fail(7)) { $0.isLoading = true }
      await test.finish()
    }
  }

  @Test func `another error than the expected one is reported`() async {
    await issue("Expected the failure NotFound(id: 8) in mutate, got NotFound(id: 7) in mutate.") {
      let test = ReactorTest(ListReactor())
      await test.send(.fail(7))
      await test.receive(failure: NotFound(id: 8))
      await test.finish()
    }
  }

  @Test func `a test without finish() is reported`() async {
    await issue(
      "The test of ListReactor never came to finish(): what it left was not looked at."
    ) {
      _ = ReactorTest(ListReactor())
    }
  }
}
