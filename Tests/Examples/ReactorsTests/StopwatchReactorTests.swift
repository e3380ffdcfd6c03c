import ReactorCore
import ReactorStreams
import ReactorTesting
import Testing

@testable import Reactors

struct StopwatchReactorTests {
  private let time = VirtualTimeScheduler()

  private func makeStopwatch() -> StopwatchReactor {
    StopwatchReactor(interval: .seconds(1), scheduler: time)
  }

  /// The ticks, and whether the stopwatch runs.
  private func shown(_ stopwatch: StopwatchReactor) -> [String] {
    ["\(stopwatch.currentState.ticks)", stopwatch.currentState.isRunning ? "runs" : "rests"]
  }

  @Test func `the stopwatch ticks from start to stop`() {
    let stopwatch = makeStopwatch()
    #expect(shown(stopwatch) == ["0", "rests"])
    stopwatch.action.onNext(.start)
    #expect(shown(stopwatch) == ["0", "runs"])
    time.advance(by: .milliseconds(999))
    #expect(shown(stopwatch) == ["0", "runs"])
    time.advance(by: .milliseconds(1))
    #expect(shown(stopwatch) == ["1", "runs"])
    time.advance(by: .seconds(2))
    #expect(shown(stopwatch) == ["3", "runs"])
    stopwatch.action.onNext(.stop)
    #expect(shown(stopwatch) == ["3", "rests"])
    time.advance(by: .seconds(10))
    #expect(shown(stopwatch) == ["3", "rests"])
  }

  @Test func `a start after the effect was cancelled ticks again`() {
    let stopwatch = makeStopwatch()
    stopwatch.mutate(action: .start).subscribe(AnyObserver { _ in }).dispose()
    stopwatch.action.onNext(.start)
    time.advance(by: .seconds(1))
    #expect(shown(stopwatch) == ["1", "runs"])
  }

  @Test func `a second start changes nothing`() {
    let stopwatch = makeStopwatch()
    let states = Recorder<Int>()
    let subscription = stopwatch.state.subscribe(onNext: { states.add($0.ticks) })
    stopwatch.action.onNext(.start)
    time.advance(by: .milliseconds(500))
    stopwatch.action.onNext(.start)
    time.advance(by: .milliseconds(1500))
    #expect(states.values == [0, 0, 1, 2])
    stopwatch.action.onNext(.stop)
    time.advance(by: .seconds(5))
    #expect(states.values == [0, 0, 1, 2, 2])
    subscription.dispose()
  }

  @Test func `a stop changes nothing while it is stopped`() {
    let stopwatch = makeStopwatch()
    let states = Recorder<Int>()
    let subscription = stopwatch.state.subscribe(onNext: { states.add($0.ticks) })
    stopwatch.action.onNext(.stop)
    #expect(states.values == [0])
    subscription.dispose()
  }

  @Test func `reset does not stop it`() {
    let stopwatch = makeStopwatch()
    stopwatch.action.onNext(.start)
    time.advance(by: .milliseconds(2500))
    stopwatch.action.onNext(.reset)
    #expect(shown(stopwatch) == ["0", "runs"])
    time.advance(by: .milliseconds(500))
    #expect(shown(stopwatch) == ["1", "runs"])
    stopwatch.action.onNext(.stop)
    stopwatch.action.onNext(.reset)
    #expect(shown(stopwatch) == ["0", "rests"])
  }

  @Test func `the stopwatch can be restarted`() {
    let stopwatch = makeStopwatch()
    for _ in 0..<3 {
      stopwatch.action.onNext(.start)
      time.advance(by: .seconds(2))
      stopwatch.action.onNext(.stop)
      time.advance(by: .seconds(2))
    }
    #expect(shown(stopwatch) == ["6", "rests"])
  }

  @Test func `the stopwatch stops when the reactor is released`() {
    weak var gone: StopwatchReactor?
    do {
      let stopwatch = makeStopwatch()
      stopwatch.action.onNext(.start)
      time.advance(by: .seconds(1))
      gone = stopwatch
      #expect(shown(stopwatch) == ["1", "runs"])
    }
    time.advance(by: .seconds(5))
    #expect(gone == nil)
  }
}
