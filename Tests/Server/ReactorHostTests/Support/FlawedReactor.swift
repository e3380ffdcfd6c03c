import ReactorCore
import ReactorStreams
import Synchronization

/// A reactor whose fold is not a function of the State and the mutation, in one of several ways.
final class FlawedReactor: Reactor {
  enum Flaw: CaseIterable, Sendable {
    case random, clock, variable, request, hidden, order, initial
  }

  enum Action: Codable, Sendable {
    case next
  }

  struct State: Codable, Sendable {
    private enum CodingKeys: String, CodingKey {
      case count, value, tags
    }

    var count = 0
    var value = ""
    var tags: [String] = []
    /// Not encoded.
    var hidden = 0
    /// Not encoded, and the State's own order is another one than that of a decoded State.
    var order = [5, 3, 8]
  }

  let initialState: State
  private let flaw: Flaw?
  private let clock: FlawedClock
  private var calls = 0

  init(_ flaw: Flaw?, clock: FlawedClock) {
    self.flaw = flaw
    self.clock = clock
    initialState = State(value: flaw == .initial ? "\(UInt64.random(in: 0 ... .max))" : "")
  }

  func mutate(action: Action) -> Observable<Action> {
    calls += 1
    return .just(action)
  }

  func reduce(state: State, mutation: Action) -> State {
    var state = state
    state.count += 1
    switch flaw {
    case nil, .initial: break
    case .random: state.value = "\(UInt64.random(in: 0 ... .max))"
    case .clock: state.value = "\(clock.now.load(ordering: .relaxed))"
    case .variable: state.value = "\(calls)"
    case .request: state.value = RequestContext.current?.id ?? "none"
    case .hidden:
      state.hidden += 1
      state.value = "\(state.hidden)"
    case .order:
      state.order.append(state.order.removeFirst())
      state.value = "\(state.order)"
    }
    return state
  }
}

/// A clock that a test sets.
final class FlawedClock: Sendable {
  let now = Atomic<Int>(0)
}

/// A reactor with a type whose hand-written JSON depends on the order of a set.
final class HandWrittenReactor: Reactor {
  typealias Action = FlawedReactor.Action

  /// Writes its elements in the order of the set.
  struct Tags: Codable, Sendable {
    var elements: Set<String>

    init(_ elements: Set<String>) {
      self.elements = elements
    }

    init(from decoder: any Decoder) throws {
      elements = Set(try [String](from: decoder))
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    }
  }

  struct State: Codable, Sendable {
    var count = 0
    var tags = Tags([])
  }

  let initialState = State()

  func reduce(state: State, mutation: Action) -> State {
    var state = state
    state.count += 1
    // The order of a set depends on its capacity, which decoding does not keep.
    var elements = Set<String>(minimumCapacity: 4096)
    for number in 0..<(20 + state.count) { elements.insert("tag \(number)") }
    state.tags.elements = elements
    return state
  }
}

/// A reactor whose State does not decode from its own JSON after the second mutation.
final class UndecodableReactor: Reactor {
  typealias Action = FlawedReactor.Action

  struct State: Codable, Sendable {
    private enum CodingKeys: CodingKey {
      case count
    }

    var count = 0

    init() {}

    init(from decoder: any Decoder) throws {
      count = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .count)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      if count < 2 { try container.encode(count, forKey: .count) }
    }
  }

  let initialState = State()

  func reduce(state: State, mutation: Action) -> State {
    var state = state
    state.count += 1
    return state
  }
}
