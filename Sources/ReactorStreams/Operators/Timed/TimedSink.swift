internal import Synchronization

/// Runs a timed machine for one subscription: brings it the source's events and its timer's, one at a
/// time, and does what it says.
final class TimedSink<Machine: TimedMachine>: ObserverType, Disposable {
  typealias Element = Machine.Element

  private enum Item: Sendable {
    case begin
    case event(Event<Element>)
    case timeOut(UInt64)
  }

  private final class Contents {
    var machine: Machine
    var latestTimer: UInt64 = 0

    init(machine: Machine) {
      self.machine = machine
    }
  }

  private let downstream: any ObserverType<Element>
  private let scheduler: any SchedulerType
  private let mailbox: Mailbox<Item, Contents>
  private let timer = SerialDisposable()
  private let upstream = DisposableSlot()
  private let stopped = Atomic<Bool>(false)
  private let context = CurrentSerialContext.gathering

  init(
    _ downstream: any ObserverType<Element>,
    scheduler: any SchedulerType,
    machine: Machine
  ) {
    self.downstream = downstream
    self.scheduler = scheduler.resolved
    mailbox = Mailbox(Contents(machine: machine))
  }

  func run(_ source: some ObservableType<Element>) -> any Disposable {
    mailbox.post(.begin, handle: handle)
    upstream.set(source.subscribe(self))
    return self
  }

  func on(_ event: Event<Element>) {
    enter(.event(event))
  }

  private func enter(_ item: Item) {
    if let context, !context.isCurrent {
      context.perform { self.mailbox.post(item, handle: self.handle) }
    } else {
      mailbox.post(item, handle: handle)
    }
  }

  func dispose() {
    stopped.store(true, ordering: .releasing)
    timer.dispose()
    upstream.dispose()
  }

  private func handle(_ contents: Contents, _ item: Item) {
    guard !stopped.load(ordering: .acquiring) else { return }
    switch item {
    case .begin: perform(contents.machine.begin(), contents)
    case .event(let event):
      perform(contents.machine.receive(event, at: scheduler.now), contents)
      if event.isStopEvent { upstream.dispose() }
    case .timeOut(let number):
      // A timer that fired while it was being replaced counts no more.
      guard number == contents.latestTimer else { return }
      perform(contents.machine.timeOut(at: scheduler.now), contents)
    }
  }

  private func perform(_ step: TimedStep<Element>, _ contents: Contents) {
    for event in step.events {
      guard !stopped.load(ordering: .acquiring) else { return }
      if event.isStopEvent { stopped.store(true, ordering: .releasing) }
      downstream.on(event)
      if event.isStopEvent { return dispose() }
    }
    switch step.timer {
    case .unchanged: break
    case .stopped:
      contents.latestTimer += 1
      timer.disposable = nil
    case .set(let delay):
      contents.latestTimer += 1
      let number = contents.latestTimer
      timer.disposable = scheduler.schedule(after: delay) { [self] in
        enter(.timeOut(number))
      }
    }
  }
}

extension ObservableType {
  /// Makes an operator from a machine; each subscription has its own copy.
  func timed<Machine: TimedMachine<Element>>(
    _ machine: Machine, on scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable { TimedSink($0, scheduler: scheduler, machine: machine).run(self) }
  }
}
