import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct PublishSubjectTests {
  let subject = PublishSubject<Int>()
  let log = Log<String>()

  func observe(_ name: String) -> any Disposable {
    subject.subscribe(
      onNext: { [log] in log.append("\(name)\($0)") },
      onError: { [log] in log.append("\(name)#\($0)") },
      onCompleted: { [log] in log.append("\(name)|") })
  }

  @Test func `a later observer receives no earlier element, and after the end only the end`() {
    subject.onNext(1)
    _ = observe("a")
    subject.onNext(2)
    subject.onCompleted()
    subject.onNext(3)
    _ = observe("b")
    #expect(log.entries == ["a2", "a|", "b|"])
  }

  @Test func `later observers receive the error`() {
    subject.onError(TestError("x"))
    subject.onError(TestError("y"))
    _ = observe("a")
    #expect(log.entries == ["a#TestError(x)"])
  }

  @Test func `a handler may send the next element and the end`() {
    _ = subject.subscribe { [subject, log] event in
      switch event {
      case .next(1):
        subject.onNext(2)
        subject.onCompleted()
        log.append("1 handled")
      case .next(let element): log.append("\(element)")
      case .error: break
      case .completed: log.append("completed")
      }
    }
    subject.onNext(1)
    #expect(log.entries == ["1 handled", "2", "completed"])
  }

  @Test func `observers receive events in the order of their subscriptions, at any count`() {
    let names = (0..<100).map { "\($0)-" }
    let subscriptions = names.map(observe)
    subscriptions[0].dispose()
    subscriptions[50].dispose()
    _ = observe("new-")
    subject.onNext(7)
    let expected = names.filter { $0 != "0-" && $0 != "50-" } + ["new-"]
    #expect(log.entries == expected.map { "\($0)7" })
  }

  @Test func `every observer sees re-entrant elements in the same order`() {
    _ = subject.subscribe(onNext: { [subject, log] element in
      log.append("a\(element)")
      if element < 3 { subject.onNext(element + 1) }
    })
    _ = observe("b")
    subject.onNext(1)
    #expect(log.entries == ["a1", "b1", "a2", "b2", "a3", "b3"])
  }

  @Test func `an observer that another one removes receives at most the current element`() {
    let second = SerialDisposable()
    _ = subject.subscribe(onNext: { _ in second.dispose() })
    second.disposable = observe("b")
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == ["b1"])
  }

  @Test func `behind an operator, a disposed subscription receives nothing`() {
    let second = SerialDisposable()
    _ = subject.subscribe(onNext: { _ in second.dispose() })
    second.disposable = subject.map { $0 }.subscribe(onNext: { [log] in log.append("b\($0)") })
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries.isEmpty)
  }

  @Test func `a removed observer receives no pending event`() {
    let second = SerialDisposable()
    _ = subject.subscribe(onNext: { [subject] element in
      guard element == 1 else { return }
      subject.onNext(2)
      second.dispose()
    })
    second.disposable = observe("b")
    subject.onNext(1)
    #expect(log.entries == ["b1"])
  }

  @Test func `an observer that subscribes during a delivery receives later events only`() {
    _ = subject.subscribe(onNext: { [self] element in
      guard element == 1 else { return }
      subject.onNext(2)
      _ = observe("b")
      subject.onNext(3)
    })
    subject.onNext(1)
    #expect(log.entries == ["b3"])
  }

  @Test func `a disposed subject removes all observers and rejects later ones`() {
    _ = observe("a")
    #expect(subject.hasObservers)
    subject.dispose()
    #expect(!subject.hasObservers)
    subject.onNext(1)
    _ = observe("b")
    #expect(log.entries == ["b#disposed"])
  }

  @Test func `a subject has no observers after its end`() {
    _ = observe("a")
    subject.onCompleted()
    #expect(!subject.hasObservers)
  }

  @Test func `the deinit of an observer may dispose of other observers of the same subject`() {
    final class Owner: Sendable {
      let bag = DisposeBag()
      func keep() {}
    }
    let bag = SerialDisposable()
    do {
      let owner = Owner()
      subject.subscribe(onNext: { _ in }).disposed(by: owner.bag)
      bag.disposable = subject.subscribe(onNext: { _ in owner.keep() })
    }
    bag.dispose()
    #expect(!subject.hasObservers)
  }
}
