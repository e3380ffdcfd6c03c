import ReactorStreams
import ReactorTesting
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

  @Test func `X23: one who comes later gets nothing of before, and after the end just that`() {
    subject.onNext(1)
    _ = observe("a")
    subject.onNext(2)
    subject.onCompleted()
    subject.onNext(3)
    _ = observe("b")
    #expect(log.entries == ["a2", "a|", "b|"])
  }

  @Test func `X23: a failure is told to those who come later`() {
    subject.onError(TestError("x"))
    subject.onError(TestError("y"))
    _ = observe("a")
    #expect(log.entries == ["a#TestError(x)"])
  }

  @Test func `X25: a handler may send the next element and the end`() {
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

  @Test func `X26: observers are served in the order of their subscriptions, at any count`() {
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

  @Test func `X52: an observer that another one takes out gets the element under way, no more`() {
    let second = SerialDisposable()
    _ = subject.subscribe(onNext: { _ in second.dispose() })
    second.disposable = observe("b")
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == ["b1"])
  }

  @Test func `X52: behind an operator it gets nothing`() {
    let second = SerialDisposable()
    _ = subject.subscribe(onNext: { _ in second.dispose() })
    second.disposable = subject.map { $0 }.subscribe(onNext: { [log] in log.append("b\($0)") })
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries.isEmpty)
  }

  @Test func `one that left gets nothing of what waits`() {
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

  @Test func `one who joins in the middle gets what is sent from then on`() {
    _ = subject.subscribe(onNext: { [self] element in
      guard element == 1 else { return }
      subject.onNext(2)
      _ = observe("b")
      subject.onNext(3)
    })
    subject.onNext(1)
    #expect(log.entries == ["b3"])
  }

  @Test func `a disposed subject lets all go and refuses whoever comes`() {
    _ = observe("a")
    #expect(subject.hasObservers)
    subject.dispose()
    #expect(!subject.hasObservers)
    subject.onNext(1)
    _ = observe("b")
    #expect(log.entries == ["b#disposed"])
  }

  @Test func `after the end nobody observes`() {
    _ = observe("a")
    subject.onCompleted()
    #expect(!subject.hasObservers)
  }

  @Test func `an observer that goes away may dispose of others of the same subject`() {
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
