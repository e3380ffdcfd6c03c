import ClientCore
import ReactorClient
import ReactorCore
import ReactorHost
import ReactorTestingHost
import Synchronization
import Testing

/// The members of a reactor in code that does not know its type: a local reactor, a hosted one, and the stub
/// of each.
@Suite(.timeLimit(.minutes(60))) struct GenericReactorTests {
  final class Notes: Reactor {
    enum Action: Codable, Equatable { case write(String), alert(String?), mark(Int) }
    enum Mutation: Codable { case write(String), alert(String?), mark(Int) }
    /// A value that is not `Equatable`.
    struct Mark: Codable, Sendable { var number = 0 }
    struct State: Codable, Sendable {
      var texts: [String] = []
      @Pulse var alert: String?
      @Pulse var mark = Mark()
    }

    let initialState = State()

    func mutate(action: Action) -> Observable<Mutation> {
      switch action {
      case .write(let text): .just(.write(text))
      case .alert(let text): .just(.alert(text))
      case .mark(let number): .just(.mark(number))
      }
    }

    func reduce(state: State, mutation: Mutation) -> State {
      var state = state
      switch mutation {
      case .write(let text): state.texts.append(text)
      case .alert(let text): state.alert = text
      case .mark(let number): state.mark.number = number
      }
      return state
    }
  }

  /// The values that a generic function gets from a reactor.
  private struct Seen: Equatable {
    var sent: [Notes.Action] = []
    var texts: [[String]] = []
    var alerts: [String?] = []
    var marks: [Int] = []
    var current: [String] = []
  }

  private let actions: [Notes.Action] = [
    .write("a"), .alert("x"), .write("b"), .alert(nil), .alert("y"), .mark(1), .write("c"),
    .mark(2),
  ]

  /// Sends each action after the State of the one before, and returns what each member has emitted.
  private func use<Used: Reactor>(
    _ reactor: Used, apply: (Notes.Action) -> Void = { _ in }
  ) async throws -> Seen where Used.Action == Notes.Action, Used.State == Notes.State {
    let bag = DisposeBag()
    let sent = Recording(reactor.action.asObservable(), bag)
    let alerts = Recording(reactor.pulse(\.$alert), bag)
    let marks = Recording(reactor.pulse(\.$mark), bag)
    // The last subscription is notified after the others.
    let states = Recording(reactor.state, bag)
    await states.wait(for: 1)
    for (index, action) in actions.enumerated() {
      reactor.action.onNext(action)
      apply(action)
      await states.wait(for: index + 2)
    }
    return Seen(
      sent: sent.all, texts: states.all.map(\.texts), alerts: alerts.all,
      marks: marks.all.map(\.number), current: reactor.currentState.texts)
  }

  /// Sets the State of a stub as the reactor would.
  private func stubbed<Used: Reactor>(
    _ reactor: Used
  ) async throws -> Seen where Used.Action == Notes.Action, Used.State == Notes.State {
    reactor.isStubEnabled = true
    let notes = Notes()
    let seen = try await use(reactor) { action in
      notes.action.onNext(action)
      reactor.stub.state.value = notes.currentState
    }
    #expect(reactor.stub.actions == actions)
    return seen
  }

  @Test func `a local reactor, a hosted one and their stubs behave alike`() async throws {
    let registration = ReactorRegistration("notes", summary: "Notes") { Notes() }
    let server = ReactorServer.hosting([registration])
    let hosted = { server.reactor(Notes.self, "notes", session: $0) }
    let local = try await use(Notes())
    #expect(local.alerts == [nil, "x", nil, "y"])
    #expect(local.marks == [0, 1, 2])
    #expect(local.texts.last == ["a", "b", "c"] && local.current == ["a", "b", "c"])
    #expect(local.sent == actions)
    #expect(try await use(hosted("a")) == local)
    #expect(try await stubbed(Notes()) == local)
    #expect(try await stubbed(hosted("b")) == local)
  }
}

/// The values of a stream.
private final class Recording<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let arrivals = AsyncStream<Int>.makeStream()

  init(_ stream: Observable<Value>, _ bag: DisposeBag) {
    stream.subscribe(onNext: { [weak self] value in
      guard let self else { return }
      let count = values.withLock { values in
        values.append(value)
        return values.count
      }
      arrivals.continuation.yield(count)
    }).disposed(by: bag)
  }

  var all: [Value] { values.withLock { $0 } }

  func wait(for count: Int) async {
    guard all.count < count else { return }
    for await arrived in arrivals.stream where arrived >= count { return }
  }
}
