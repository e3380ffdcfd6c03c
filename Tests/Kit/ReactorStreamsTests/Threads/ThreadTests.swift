import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Synchronization
import Testing

/// An element and its sender.
private struct Sent: Hashable, Sendable {
  let sender: Int
  let number: Int
}

@Suite(.serialized) struct ThreadTests {
  static let count = 10_000

  /// Sends to a subject from two threads.
  fileprivate func send(into subject: PublishSubject<Sent>) {
    onThreads(2) { sender in
      for number in 0..<Self.count { subject.onNext(Sent(sender: sender, number: number)) }
    }
  }

  /// Expects all elements, those of each sender in order.
  fileprivate func expectAll(_ received: [Sent], senders: Int = 2) {
    #expect(received.count == senders * Self.count)
    for sender in 0..<senders {
      let numbers = received.filter { $0.sender == sender }.map(\.number)
      #expect(numbers == Array(0..<Self.count))
    }
  }

  enum Path: String, CaseIterable, Sendable {
    case raw, map, scan, merge, flatMap, concatMap, observeOn, share, create, combineLatest

    fileprivate func through(_ source: Observable<Sent>) -> Observable<Sent> {
      switch self {
      case .raw: source
      case .map: source.map { $0 }.filter { _ in true }
      case .scan: source.scan(Sent(sender: 0, number: 0)) { $1 }
      case .merge: .merge(source.filter { $0.sender == 0 }, source.filter { $0.sender == 1 })
      case .flatMap: source.flatMap { .create(emitting: $0) }
      case .concatMap: source.concatMap { .create(emitting: $0) }
      case .observeOn: source.observe(on: CurrentThreadScheduler.instance)
      case .share: source.share(replay: 1)
      case .create:
        .create { observer in source.subscribe(onNext: observer.onNext) }
      case .combineLatest: .combineLatest(source, Observable.just(1)) { sent, _ in sent }
      }
    }
  }

  @Test(arguments: Path.allCases)
  func `concurrent sends lose no element and keep the order of each thread`(path: Path) {
    let subject = PublishSubject<Sent>()
    let log = Log<Sent>()
    let isInside = AtomicSwitch()
    let overlaps = Atomic<Int>(0)
    _ = path.through(subject.asObservable()).subscribe(onNext: { sent in
      if isInside.turn(on: true) { overlaps.add(1, ordering: .relaxed) }
      log.append(sent)
      _ = isInside.turn(on: false)
    })
    send(into: subject)
    expectAll(log.entries)
    #expect(overlaps.load(ordering: .relaxed) == 0)
  }

  @Test func `merging two subjects under two threads loses no element`() {
    let subjects = [PublishSubject<Sent>(), PublishSubject<Sent>()]
    let log = Log<Sent>()
    _ = Observable.merge(subjects.map { $0.asObservable() }).subscribe(onNext: log.append)
    onThreads(2) { sender in
      for number in 0..<Self.count { subjects[sender].onNext(Sent(sender: sender, number: number)) }
    }
    expectAll(log.entries)
  }

  @Test func `all observers see the elements of two threads in the same order`() {
    let subject = PublishSubject<Sent>()
    let logs = [Log<Sent>(), Log<Sent>(), Log<Sent>()]
    for log in logs { _ = subject.subscribe(onNext: log.append) }
    send(into: subject)
    expectAll(logs[0].entries)
    #expect(logs[1].entries == logs[0].entries)
    #expect(logs[2].entries == logs[0].entries)
  }

  @Test func `an observer that sends during concurrent sends loses no element`() {
    let subject = PublishSubject<Sent>()
    let log = Log<Sent>()
    _ = subject.subscribe(onNext: { sent in
      log.append(sent)
      if sent.sender < 2 { subject.onNext(Sent(sender: sent.sender + 2, number: sent.number)) }
    })
    send(into: subject)
    expectAll(log.entries, senders: 4)
  }

  @Test func `two chains that send to each other from two threads do not deadlock`() {
    // In RxSwift, the threads acquire the locks of the two subjects in opposite order.
    let first = PublishSubject<Sent>()
    let second = PublishSubject<Sent>()
    let log = Log<Sent>()
    _ = first.flatMap { Observable.create(emitting: $0) }.subscribe(onNext: { sent in
      log.append(sent)
      if sent.sender == 0 { second.onNext(Sent(sender: 2, number: sent.number)) }
    })
    _ = second.flatMap { Observable.create(emitting: $0) }.subscribe(onNext: { sent in
      log.append(sent)
      if sent.sender == 1 { first.onNext(Sent(sender: 3, number: sent.number)) }
    })
    onThreads(2) { sender in
      for number in 0..<Self.count {
        (sender == 0 ? first : second).onNext(Sent(sender: sender, number: number))
      }
    }
    expectAll(log.entries, senders: 4)
  }

  @Test func `an action from an effect's subscriber meets one from another thread`() {
    // In ReactorKit, the effect's thread and the sender acquire the locks of flatMap and of the action
    // subject in opposite order.
    let actions = PublishSubject<Sent>()
    let effects = PublishSubject<Sent>()
    let log = Log<Sent>()
    _ = actions.flatMap { action -> Observable<Sent> in
      action.number == 0 && action.sender == 9 ? effects.asObservable() : .just(action)
    }.subscribe(onNext: { sent in
      log.append(sent)
      if sent.sender == 0 { actions.onNext(Sent(sender: 2, number: sent.number)) }
    })
    actions.onNext(Sent(sender: 9, number: 0))
    onThreads(2) { sender in
      for number in 0..<Self.count {
        (sender == 0 ? effects : actions).onNext(Sent(sender: sender, number: number))
      }
    }
    expectAll(log.entries, senders: 3)
  }

  @Test func `share connects once under 32 threads`() {
    for _ in 0..<50 {
      let subscriptions = Atomic<Int>(0)
      let source = Observable<Int>.create { _ in
        subscriptions.add(1, ordering: .relaxed)
        return Disposables.create()
      }
      let shared = source.share(replay: 1)
      let bag = CompositeDisposable()
      onThreads(32) { _ in bag.insert(shared.subscribe()) }
      #expect(subscriptions.load(ordering: .relaxed) == 1)
      bag.dispose()
    }
  }

  @Test func `concurrent subscriptions and disposals balance`() {
    let active = Atomic<Int>(0)
    let source = Observable<Int>.create { observer in
      active.add(1, ordering: .relaxed)
      observer.onNext(1)
      return Disposables.create { active.subtract(1, ordering: .relaxed) }
    }
    let shared = source.share(replay: 1)
    onThreads(8) { _ in
      for _ in 0..<500 { shared.subscribe().dispose() }
    }
    #expect(active.load(ordering: .relaxed) == 0)
  }

  @Test func `an observer that subscribes during concurrent sends misses no later element`() {
    let subject = BehaviorSubject(value: -1)
    let logs = (0..<8).map { _ in Log<Int>() }
    onThreads(9) { index in
      if index == 8 {
        for number in 0..<Self.count { subject.onNext(number) }
      } else {
        _ = subject.subscribe(onNext: logs[index].append)
      }
    }
    subject.onNext(Self.count)
    for log in logs {
      let received = log.entries
      #expect(received.last == Self.count)
      #expect(zip(received, received.dropFirst()).allSatisfy { $1 == $0 + 1 })
    }
  }

  @Test func `the value of a subject is the last delivered one, also with several senders`() throws
  {
    for _ in 0..<200 {
      let subject = BehaviorSubject(value: -1)
      let log = Log<Int>()
      _ = subject.subscribe(onNext: log.append)
      onThreads(2) { sender in subject.onNext(sender) }
      #expect(try subject.value() == log.entries.last)
    }
  }

  @Test func `a disposal by another thread ends a running emission`() {
    for _ in 0..<200 {
      let subject = PublishSubject<Int>()
      let disposals = Atomic<Int>(0)
      let subscription = subject.flatMapLatest { Observable.create(emitting: $0) }
        .subscribe(onDisposed: { disposals.add(1, ordering: .relaxed) })
      onThreads(3) { index in
        if index == 0 {
          subscription.dispose()
        } else {
          for number in 0..<100 { subject.onNext(number) }
        }
      }
      #expect(disposals.load(ordering: .relaxed) == 1)
      #expect(!subject.hasObservers)
    }
  }

  @Test func `take emits its exact count under many threads`() {
    let subject = PublishSubject<Int>()
    let log = Log<Int>()
    _ = subject.take(100).subscribe(onNext: log.append, onCompleted: { log.append(-1) })
    onThreads(8) { _ in for number in 0..<100 { subject.onNext(number) } }
    #expect(log.entries.count == 101)
    #expect(log.entries.last == -1)
  }

  @Test func `zip pairs the elements of two threads`() {
    let first = PublishSubject<Int>()
    let second = PublishSubject<Int>()
    let log = Log<Bool>()
    _ = Observable.zip(first, second).subscribe(onNext: { log.append($0.0 == $0.1) })
    onThreads(2) { sender in
      for number in 0..<Self.count { (sender == 0 ? first : second).onNext(number) }
    }
    #expect(log.entries.count == Self.count)
    #expect(log.entries.allSatisfy { $0 })
  }

  @Test func `a set that is disposed of during insertions disposes of every member once`() {
    for _ in 0..<100 {
      let set = CompositeDisposable()
      let disposals = Atomic<Int>(0)
      onThreads(4) { index in
        if index == 0 { return set.dispose() }
        for _ in 0..<50 {
          set.insert(Disposables.create { disposals.add(1, ordering: .relaxed) })
        }
      }
      #expect(disposals.load(ordering: .relaxed) == 150)
    }
  }
}
