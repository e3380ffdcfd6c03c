internal import Synchronization

/// Executes a timed machine for one subscription: passes it the events of the source and of its
/// timer, one at a time, and executes its steps.
final class TimedSink<Machine: TimedMachine>: ObserverType, Disposable {
  typealias Element = Machine.Input

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

  private let downstream: any ObserverType<Machine.Output>
  private let scheduler: any SchedulerType
  private let mailbox: Mailbox<Item, Contents>
  private let timer = SerialDisposable()
  private let upstream = DisposableSlot()
  private let stopped = Atomic<Bool>(false)
  private let order = TurnOrder(in: CurrentSerialContext.gathering)

  init(
    _ downstream: any ObserverType<Machine.Output>,
    scheduler: any SchedulerType,
    machine: Machine
  ) {
    self.downstream = downstream
    self.scheduler = scheduler.resolved
    mailbox = Mailbox(Contents(machine: machine))
  }

  func attached(to source: Observable<Element>) -> any Disposable {
    post(.begin)
    upstream.set(source.attach(self))
    return self
  }

  func on(_ event: Event<Element>) {
    guard !order.isFree, let context = order.context else { return post(.event(event)) }
    order.willEnqueue()
    context.enqueue {
      self.order.didDequeue()
      self.post(.event(event))
    }
  }

  private func timerFired(_ number: UInt64) {
    if let context = order.context, !context.isCurrent {
      context.enqueue { self.post(.timeOut(number)) }
    } else {
      post(.timeOut(number))
    }
  }

  private func post(_ item: Item) {
    mailbox.post(item, handle: handle)
  }

  func dispose() {
    stopped.store(true, ordering: .releasing)
    timer.dispose()
    upstream.dispose()
  }

  private func handle(_ contents: Contents, _ item: Item) {
    guard !stopped.load(ordering: .acquiring) else { return }
    switch item {
    case .begin: execute(contents.machine.begin(), contents)
    case .event(let event):
      execute(contents.machine.receive(event, at: scheduler.now), contents)
      if event.isStopEvent { upstream.dispose() }
    case .timeOut(let number):
      // Ignore a timer that fired while it was being replaced.
      guard number == contents.latestTimer else { return }
      execute(contents.machine.timeOut(at: scheduler.now), contents)
    }
  }

  private func execute(_ step: TimedStep<Machine.Output>, _ contents: Contents) {
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
      // The delay is positive, because a scheduler can execute work without a delay before
      // `schedule` returns: a timer that sets itself again would not end.
      timer.disposable = scheduler.schedule(after: max(.nanoseconds(1), delay)) { [self] in
        timerFired(number)
      }
    }
  }
}

extension ObservableType {
  /// Creates an operator from a machine, which is copied for each subscription.
  package func timed<Machine: TimedMachine>(
    _ machine: Machine, on scheduler: any SchedulerType
  ) -> Observable<Machine.Output> where Machine.Input == Element {
    let source = asObservable()
    return Observable {
      TimedSink($0, scheduler: scheduler, machine: machine).attached(to: source)
    }
  }
}
