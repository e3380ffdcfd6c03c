import Glibc
import ReactorCore

/// A reactor whose code traps or blocks, for tests of the process around it.
final class FaultyReactor: Reactor {
  enum Action: Codable, Sendable {
    case add(Int)
    case trapInMutate
    case trapInMutateWith(String)
    case trapInReduce
    /// Trap in an effect, as soon as the file exists that `FAULTY_TRAP` names.
    case trapInEffect
    case trapInTask
    case wait
    /// Runs an effect until a file exists.
    case waitForFile(String)
    case trapInEncoding
    case trapInDecoding(Trapping)
    /// Blocks the thread, after a line on standard error.
    case block(seconds: Int)
  }

  enum Mutation: Codable, Sendable {
    case add(Int)
    case trap
    case makeUnencodable
  }

  struct State: Codable, Equatable, Sendable {
    var value = 0
    var trapping: Trapping?
  }

  /// A value that traps when it is encoded or decoded.
  struct Trapping: Codable, Equatable, Sendable {
    init() {}

    init(from decoder: any Decoder) throws {
      // Do not trap while the schema is derived, which decodes `false`.
      if try Bool(from: decoder) { fatalError("trap in decoding") }
    }

    func encode(to encoder: any Encoder) throws {
      fatalError("trap in encoding")
    }
  }

  let initialState = State()

  private static var mayTrap: Bool {
    getenv("FAULTY_TRAP").map { access($0, F_OK) == 0 } ?? true
  }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .add(let number): return .just(.add(number))
    case .trapInMutate:
      let items = [1, 2, 3]
      return .just(.add(items[currentState.value + 3]))
    case .trapInMutateWith(let text): fatalError(text)
    case .trapInReduce: return .just(.trap)
    case .trapInEffect:
      return Observable<Int>.interval(.milliseconds(10), scheduler: MainScheduler.instance)
        .filter { _ in Self.mayTrap }
        .map { _ in fatalError("trap in an effect") }
    case .trapInTask:
      return .run { _ in
        while !Self.mayTrap { try await Task.sleep(for: .milliseconds(10)) }
        fatalError("trap in a task")
      }
    case .wait: return .never()
    case .waitForFile(let path):
      return .run { _ in
        while access(path, F_OK) != 0 { try await Task.sleep(for: .milliseconds(10)) }
      }
    case .trapInEncoding: return .just(.makeUnencodable)
    case .trapInDecoding: return .empty()
    case .block(let seconds):
      _ = write(STDERR_FILENO, "blocked\n", 8)
      sleep(UInt32(seconds))
      return .just(.add(1))
    }
  }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .add(let number): state.value += number
    case .trap: fatalError("trap in reduce")
    case .makeUnencodable: state.trapping = Trapping()
    }
    return state
  }
}
