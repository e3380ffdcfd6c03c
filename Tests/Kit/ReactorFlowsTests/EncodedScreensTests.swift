import Foundation
import LogTestSupport
import ReactorCoding
import ReactorCore
import ReactorFlows
import ReactorHost
import ReactorLog
import TestSupport
import Testing

/// The encoded JSON that screens retain, and the forms that are read without containers.
struct EncodedScreensTests {
  private typealias Action = TripFlow.Action

  @Test func `screens that were encoded before have the JSON of decoded ones`() async throws {
    let trip = try Trip()
    var random = SplitMix64(seed: 21)
    for step in 0..<200 {
      let entries = try await trip.state().stack.entries
      let entry = try #require(entries.randomElement(using: &random))
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try await trip.send(.run(.present("p\(step)/ä\"", onDismissed: .note("left"))))
      case 1: try await trip.send(.run(.child(onDismissed: .note("child"))))
      case 2: try await trip.send(.dismiss(entry.id))
      case 3: try await trip.send(.run(.replace("r\(step)")))
      default:
        let write = #"{"note":{"write":"\#(step)!"}}"#
        let inside = #"{"side":{"stack":{"send":{"to":"1","action":\#(write)}}}}"#
        let action = entry.screen == "side" ? inside : write
        try await trip.send(json: #"{"stack":{"send":{"to":"\#(entry.id)","action":\#(action)}}}"#)
      }
      let json = try await trip.session().current.json
      let decoded = try JSONCoder.decode(TripFlow.State.self, from: json)
      #expect(try JSONCoder.encode(decoded) == json)
    }
    #expect(try await trip.version() > 100)
  }

  @Test func `encoders of other modules write values that their decoders read`() throws {
    func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
      try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    }
    let flow = TripFlow(TripBoard())
    flow.action.onNext(.run(.present("a b", onDismissed: .note("left"))))
    flow.action.onNext(.run(.child()))
    let state = flow.currentState
    #expect(try roundTrip(state) == state)
    for json in [
      #"{"stack":{"send":{"to":"1","action":{"note":{"write":"x"}}}}}"#,
      #"{"stack":{"dismiss":"2"}}"#, #"{"stack":{"open":"/notes/a"}}"#,
    ] {
      let action = try JSONCoder.decode(TripFlow.Action.self, from: Array(json.utf8))
      #expect(try String(decoding: JSONCoder.encode(roundTrip(action)), as: UTF8.self) == json)
    }
    for json in [
      #"{"stack":{"change":{"id":"1","mutation":{"note":{"write":"x"}}}}}"#,
      #"{"stack":{"dismiss":{"entries":[{"id":"2","onDismissed":null}],"animated":true}}}"#,
    ] {
      let mutation = try JSONCoder.decode(TripFlow.Mutation.self, from: Array(json.utf8))
      #expect(try String(decoding: JSONCoder.encode(roundTrip(mutation)), as: UTF8.self) == json)
    }
  }

  @Test(arguments: [
    #"{"stack":{"send":{"action":{"note":{"write":"x"}},"to":"2"}}}"#,
    #"{"stack":{"s\u0065nd":{"t\u006f":"\u0032","action":{"n\u006fte":{"write":"x"}}}}}"#,
    #"{"stack":{"_0":{"send":{"to":"2","action":{"note":{"write":{"_0":"x"}}}}}}}"#,
  ])
  func `other forms of an action are accepted as well`(json: String) async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")))
    #expect(try await trip.send(json: json) == "1 home 2 note(a)x")
    let action = try await trip.session().entries(after: 1, limit: 1).first?.action
    #expect(
      action.map { String(decoding: $0, as: UTF8.self) }
        == #"{"stack":{"send":{"to":"2","action":{"note":{"write":"x"}}}}}"#)
  }

  @Test(arguments: [
    (#"{"send":{"to":"2"}}"#, "/stack/send"),
    (#"{"send":{"to":2,"action":{"note":"hold"}}}"#, "/stack/send/to"),
    (#"{"send":{"to":"2","action":{"note":"hold"},"at":1}}"#, "/stack/send/at"),
    (#"{"send":{"to":"2","action":{"note":"hold","home":"x"}}}"#, "/stack/send/action"),
    (#"{"send":{"to":"2","action":{"note":{"write":1}}}}"#, "/stack/send/action/note/write"),
    (#"{"send":{"to":"2","action":{"note":"hold"}},"open":"/"}"#, "/stack"),
    (#"{"send":"2"}"#, "/stack/send"),
    (#"{"dismiss":2}"#, "/stack/dismiss"),
  ])
  func `a malformed action is rejected with the pointer of its error`(
    json: String, pointer: String
  ) async throws {
    let trip = try Trip()
    try await trip.send(.run(.present("a")))
    #expect(try await trip.send(json: #"{"stack":\#(json)}"#).hasPrefix("422 \(pointer) ["))
    #expect(try await trip.version() == 1)
  }

  @Test func `a State that JSON cannot express is an error with its path`() throws {
    let flow = GaugeFlow()
    flow.action.onNext(.show(1))
    #expect(try String(decoding: JSONCoder.encode(flow.currentState), as: UTF8.self).contains("1}"))
    flow.action.onNext(.show(.nan))
    let error = #expect(throws: EncodingError.self) { try JSONCoder.encode(flow.currentState) }
    guard case .invalidValue(_, let context)? = error else { return }
    #expect(
      context.codingPath.map(\.stringValue) == ["stack", "entries", "2", "state", "value"])
  }
}

/// A flow whose screens have a number.
private final class GaugeFlow: Coordinator {
  enum Action: Codable, Sendable { case show(Double) }
  enum Mutation: Codable, Sendable, StackChanging { case stack(StackMutation<GaugeFlow>) }
  enum Step: Codable, Sendable { case none }
  struct State: Codable, StackHolding { var stack = Stack<GaugeFlow>(Gauge.State()) }

  static let modules: [Module<GaugeFlow>] = [
    Module("gauge", Gauge.self, make: { _ in Gauge() })
  ]

  let initialState = State()
  let router = NavigationRouter<GaugeFlow>()

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .show(let value): present(Gauge.State(value: value), animated: false)
    }
  }

  func coordinate(_ step: Step) -> Observable<Mutation> { .empty() }
  func follow(_ mutation: Mutation) -> Observable<Mutation> { .empty() }

  func reduce(state: State, mutation: Mutation) -> State {
    var state = state
    switch mutation {
    case .stack(let mutation): router.reduce(&state.stack, mutation, in: self)
    }
    return state
  }
}

private final class Gauge: Reactor {
  enum Action: Codable, Sendable { case nothing }
  typealias Mutation = Action
  struct State: Codable { var value = 0.0 }
  let initialState = State()
}
