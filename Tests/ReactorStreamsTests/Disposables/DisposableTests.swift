import ReactorStreams
import ReactorTesting
import Testing

@Suite struct DisposableTests {
  let log = Log<String>()

  func named(_ name: String) -> any Disposable {
    Disposables.create { [log] in log.append(name) }
  }

  @Test func `an action runs once`() {
    let disposable = named("a")
    disposable.dispose()
    disposable.dispose()
    #expect(log.entries == ["a"])
  }

  @Test func `X48: a bag that goes away ends each member once`() {
    let first = named("a")
    do {
      let bag = DisposeBag()
      first.disposed(by: bag)
      bag.insert(named("b"), named("c"))
      #expect(log.entries.isEmpty)
    }
    first.dispose()
    #expect(log.entries == ["a", "b", "c"])
  }

  @Test func `X48: what comes after the end of a set ends at once`() {
    let set = CompositeDisposable()
    set.dispose()
    #expect(set.insert(named("a")) == nil)
    #expect(log.entries == ["a"])
  }

  @Test func `X49: a serial disposable ends what is replaced, and nothing twice`() {
    let serial = SerialDisposable()
    serial.disposable = named("a")
    #expect(log.entries.isEmpty)
    serial.disposable = named("b")
    #expect(log.entries == ["a"])
    serial.dispose()
    serial.dispose()
    #expect(log.entries == ["a", "b"])
    serial.disposable = named("c")
    #expect(log.entries == ["a", "b", "c"])
    #expect(serial.isDisposed)
  }

  @Test func `X50: a set ends its members in order, and one that was taken out only then`() {
    let set = CompositeDisposable()
    let key = set.insert(named("a"))
    set.insert(named("b"))
    set.insert(named("c"))
    #expect(set.count == 3)
    if let key { set.remove(for: key) }
    #expect(log.entries == ["a"])
    set.dispose()
    set.dispose()
    #expect(log.entries == ["a", "b", "c"])
    #expect(set.count == 0)
  }

  @Test func `a single assignment keeps the first and ends one that comes too late`() {
    let single = SingleAssignmentDisposable()
    single.setDisposable(named("a"))
    single.setDisposable(named("b"))
    #expect(log.entries == ["b"])
    single.dispose()
    #expect(log.entries == ["b", "a"])
    let early = SingleAssignmentDisposable()
    early.dispose()
    early.setDisposable(named("c"))
    #expect(log.entries == ["b", "a", "c"])
  }

  @Test func `a scheduled one ends on its scheduler`() {
    let scheduler = TestScheduler()
    let disposable = ScheduledDisposable(scheduler: scheduler, disposable: named("a"))
    disposable.dispose()
    #expect(log.entries.isEmpty)
    #expect(!disposable.isDisposed)
    scheduler.start()
    #expect(log.entries == ["a"])
    #expect(disposable.isDisposed)
  }

  @Test func `work in RxSwift's form is ended by what it returned`() {
    let scheduler = TestScheduler()
    let disposable = scheduler.scheduleRelative("state", dueTime: .milliseconds(10)) { [self] in
      log.append($0)
      return named("ended")
    }
    scheduler.start()
    disposable.dispose()
    #expect(log.entries == ["state", "ended"])
  }
}
