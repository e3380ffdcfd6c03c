import ReactorCore
import ReactorTesting
import Testing

/// Timers of a reactor in virtual time.
struct TimerTests {
  final class LampReactor: Reactor {
    enum Action: Sendable { case on(Duration), off, keep, blink, stop, late }
    enum Mutation: Sendable { case set(Bool), toggle, setEnd(WallTime) }

    struct State: Equatable, Sendable {
      var isOn = false
      var end: WallTime?
    }

    let initialState = State()

    func mutate(action: Action) -> Observable<Mutation> {
      switch action {
      case .on(let time):
        .concat(
          .just(.set(true)), schedule(.off, at: .now + time, id: "off"),
          .deferred { .just(.setEnd(.now + time)) })
      case .off: .just(.set(false))
      case .keep: .unschedule(id: "off")
      case .blink: schedule(.off, at: .now + .seconds(1), id: "off", every: .seconds(10))
      case .stop: .unschedule(id: "off")
      case .late: schedule(.off, at: .last + .milliseconds(1), id: "off")
      }
    }

    func reduce(state: State, mutation: Mutation) -> State {
      var state = state
      switch mutation {
      case .set(let isOn): state.isOn = isOn
      case .toggle: state.isOn.toggle()
      case .setEnd(let end): state.end = end
      }
      return state
    }
  }

  @Test func `a timer fires when its virtual time has come`() async {
    let start = WallTime(milliseconds: 0)
    let test = ReactorTest(LampReactor())
    await test.send(.on(.seconds(60))) { $0.isOn = true }
    await test.receive { $0.end = start + .seconds(60) }
    test.advance(by: .milliseconds(59_999))
    test.advance(by: .milliseconds(1))
    await test.receive { $0.isOn = false }
    await test.finish()
  }

  @Test func `a timer replaces that of its id, and one that is removed does not fire`() async {
    let test = ReactorTest(
      LampReactor(), time: VirtualTimeScheduler(now: .seconds(1_000_000_000)))
    await test.send(.on(.seconds(60))) { $0.isOn = true }
    await test.receive { $0.end = WallTime(milliseconds: 1_000_000_060_000) }
    test.advance(by: .seconds(59))
    await test.send(.on(.seconds(60))) { $0.isOn = true }
    await test.receive { $0.end = WallTime(milliseconds: 1_000_000_119_000) }
    test.advance(by: .seconds(59))
    await test.send(.keep)
    test.advance(by: .seconds(3600))
    await test.finish()
  }

  @Test func `a repeating timer fires until it is removed`() async {
    let test = ReactorTest(LampReactor())
    await test.send(.blink)
    for _ in 0..<3 {
      test.advance(by: .seconds(10))
      await test.receive { $0.isOn = false }
    }
    await test.send(.stop)
    test.advance(by: .seconds(100))
    await test.finish()
  }

  @Test func `a time beyond the year 9999 is an error`() async {
    let test = ReactorTest(LampReactor())
    await test.send(.late)
    await test.receive(failure: TimerError.time)
    await test.finish()
  }
}
