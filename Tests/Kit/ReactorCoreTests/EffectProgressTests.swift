import ReactorCore
import ReactorStreams
import Testing

/// The progress that effects report.
struct EffectProgressTests {
  private let source = PublishSubject<String>()

  /// An action subscribes to the source, whose elements are fractions.
  private func makeReactor() -> ScriptedReactor {
    let reactor = ScriptedReactor()
    reactor.mutating = { [source] _ in
      source.trackProgress { Double($0) }.filter { $0 == "mutate" }
    }
    return reactor
  }

  @Test func `trackProgress reports the progress of each element`() {
    let reactor = makeReactor()
    #expect(reactor.pipeline.effectProgress == nil)
    reactor.action.onNext("start")
    #expect(reactor.pipeline.effectProgress == nil)
    source.onNext("0.25")
    #expect(reactor.pipeline.effectProgress == 0.25)
    source.onNext("no number")
    source.onNext("0.75")
    #expect(reactor.pipeline.effectProgress == 0.75)
    source.onCompleted()
    #expect(reactor.pipeline.effectProgress == nil)
    #expect(reactor.currentState == [])
  }

  @Test(arguments: [("-1", 0), ("7", 1), ("inf", 1)])
  func `progress is clamped to 0 and 1`(reported: String, progress: Double) {
    let reactor = makeReactor()
    reactor.action.onNext("start")
    source.onNext("nan")
    #expect(reactor.pipeline.effectProgress == nil)
    source.onNext(reported)
    #expect(reactor.pipeline.effectProgress == progress)
  }

  @Test func `the progress of several effects is the mean of those that report it`() {
    let reactor = ScriptedReactor()
    let others = [PublishSubject<String>(), PublishSubject<String>()]
    reactor.mutating = { [source] action in
      switch action {
      case "first": others[0].trackProgress { Double($0) }.filter { _ in false }
      case "second": others[1].trackProgress { Double($0) }.filter { _ in false }
      default: source.asObservable()
      }
    }
    for action in ["first", "second", "silent"] { reactor.action.onNext(action) }
    others[0].onNext("0.5")
    #expect(reactor.pipeline.effectProgress == 0.5)
    others[1].onNext("1")
    #expect(reactor.pipeline.effectProgress == 0.75)
    others[0].onError(Mishap())
    #expect(reactor.pipeline.effectProgress == 1)
  }

  @Test func `async code reports progress until its effect has ended`() async {
    let reactor = ScriptedReactor()
    let (reports, report) = AsyncStream<Double>.makeStream()
    let (steps, step) = AsyncStream<Void>.makeStream()
    reactor.mutating = { _ in
      .run { _ in
        for await fraction in reports {
          EffectProgress.report(fraction)
          step.yield()
        }
        EffectProgress.report(0.9)
      }
    }
    reactor.action.onNext("start")
    report.yield(0.4)
    var iterator = steps.makeAsyncIterator()
    await iterator.next()
    #expect(reactor.pipeline.effectProgress == 0.4)
    reactor.pipeline.shutDown()
    #expect(reactor.pipeline.effectProgress == nil)
    report.finish()
  }

  @Test func `concurrent reports leave no progress after the end`() {
    let reactor = ScriptedReactor()
    let threads = Recorder<OtherThread>()
    reactor.mutating = { _ in
      .create { observer in
        // The thread has the task-local context of the subscription.
        let context = CurrentSerialContext.value
        threads.add(
          OtherThread {
            CurrentSerialContext.$value.withValue(context) {
              for step in 0..<200 { EffectProgress.report(Double(step) / 200) }
            }
            observer.onCompleted()
          })
        return Disposables.create()
      }
    }
    for _ in 0..<4 { reactor.action.onNext("start") }
    // The thread that executes the turn also dequeues a later action and starts its thread.
    for thread in threads.values(waitingFor: 4) { thread.join() }
    #expect(reactor.pipeline.runningEffectCount == 0)
    #expect(reactor.pipeline.effectProgress == nil)
  }

  @Test func `outside of an effect, a report is ignored`() {
    let elements = Recorder<Double>()
    EffectProgress.report(0.5)
    _ = Observable.just(0.5).trackProgress { $0 }.subscribe(onNext: { elements.add($0) })
    #expect(elements.values == [0.5])
  }
}
