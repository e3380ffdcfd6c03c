import ReactorStreams
import ReactorTesting
import StreamTestSupport
import Testing

@Suite struct DisposableTests {
  let log = Log<String>()

  func named(_ name: String) -> any Disposable {
    Disposables.create { [log] in log.append(name) }
  }

  @Test func `an action is executed once`() {
    let disposable = named("a")
    disposable.dispose()
    disposable.dispose()
    #expect(log.entries == ["a"])
  }

  @Test func `a deallocated bag disposes of each member once`() {
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

  @Test func `a member that is inserted after the disposal is disposed of at once`() {
    let set = CompositeDisposable()
    set.dispose()
    #expect(set.insert(named("a")) == nil)
    #expect(log.entries == ["a"])
  }

  @Test func `a serial disposable disposes of the replaced one, and of none twice`() {
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

  @Test func `a set disposes of its members in order, and of a removed one at its removal`() {
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

  @Test func `a single assignment keeps the first disposable and disposes of a second one`() {
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

  @Test func `a scheduled disposable is disposed of on its scheduler`() {
    let scheduler = TestScheduler()
    let disposable = ScheduledDisposable(scheduler: scheduler, disposable: named("a"))
    disposable.dispose()
    #expect(log.entries.isEmpty)
    #expect(!disposable.isDisposed)
    scheduler.start()
    #expect(log.entries == ["a"])
    #expect(disposable.isDisposed)
  }

  @Test func `a disposable that work returned is disposed of`() {
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
