import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Synchronization
import Testing

/// An object with properties to bind.
private final class Label: ReactiveCompatible, Sendable {
  private let shown = Mutex("")

  var text: String {
    get { shown.withLock { $0 } }
    set { shown.withLock { $0 = newValue } }
  }
}

@Suite(.ownSerialContext) struct BinderTests {
  @Test func `a binder does not retain its target, and does nothing without it`() {
    let log = Log<String>()
    weak var weakLabel: Label?
    let binder: Binder<String>
    do {
      let label = Label()
      weakLabel = label
      binder = Binder(label) { label, text in
        label.text = text
        log.append(label.text)
      }
      binder.onNext("a")
    }
    #expect(weakLabel == nil)
    binder.onNext("b")
    #expect(log.entries == ["a"])
  }

  @Test func `a stop event has no effect on a binder`() {
    let label = Label()
    let binder = Binder<String>(label) { $0.text = $1 }
    binder.onError(TestError.test)
    binder.onCompleted()
    binder.onNext("a")
    #expect(label.text == "a")
  }

  @Test func `a binder uses its scheduler`() {
    let scheduler = TestScheduler()
    let label = Label()
    let binder = Binder<String>(label, scheduler: scheduler) { $0.text = $1 }
    binder.onNext("a")
    #expect(label.text == "")
    scheduler.start()
    #expect(label.text == "a")
  }

  @Test func `rx has a binder for each property`() {
    let label = Label()
    let relay = BehaviorRelay(value: "a")
    let subscription = relay.bind(to: label.rx.text)
    relay.accept("b")
    #expect(label.text == "b")
    subscription.dispose()
    _ = relay.asDriver().map { "driven \($0)" }.drive(label.rx.text)
    #expect(label.text == "driven b")
  }

  @Test func `binding to several, to optionals, to closures and to functions`() {
    let first = Label()
    let second = Label()
    let optional = BehaviorRelay<String?>(value: nil)
    let log = Log<String>()
    _ = Observable.just("a").bind(to: first.rx.text, second.rx.text)
    _ = Observable.just("b").bind(to: optional)
    _ = Observable.just("c").bind(onNext: log.append)
    _ = Observable.just("d").bind(with: first) { label, text in log.append(label.text + text) }
    let count = Observable.of(1, 2).bind { source in
      _ = source.subscribe(onNext: { log.append("\($0)") })
      return 2
    }
    #expect(first.text == "a")
    #expect(second.text == "a")
    #expect(optional.value == "b")
    #expect(log.entries == ["c", "ad", "1", "2"])
    #expect(count == 2)
  }

  @Test func `a subscription ends when its object is released`() {
    let subject = PublishSubject<Int>()
    let log = Log<Int>()
    do {
      let label = Label()
      _ = subject.subscribe(with: label, onNext: { _, element in log.append(element) })
      _ = subject.withUnretained(label)
        .subscribe(onNext: { log.append($0.1 * 10) }, onCompleted: { log.append(-1) })
      subject.onNext(1)
    }
    subject.onNext(2)
    #expect(log.entries == [1, 10, -1])
  }
}
