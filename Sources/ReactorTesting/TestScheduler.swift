public import ReactorStreams

/// Runs streams in virtual time, counted in ticks, and records what they do: the workhorse of tests,
/// with the names of RxTest.
///
/// One tick is one millisecond of the `Duration`s that operators take: `.milliseconds(100)` are 100
/// ticks. While it runs, `MainScheduler` means this scheduler.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(250)])
/// let result = scheduler.start { source.map { $0 * 10 } }
/// #expect(result.events == [.next(210, 10), .next(220, 20), .completed(250)])
/// #expect(source.subscriptions == [Subscription(200, 250)])
/// ```
public final class TestScheduler: SchedulerType {
  /// When ``start(created:subscribed:disposed:_:)`` does what.
  public enum Defaults {
    /// When the stream is made.
    public static let created = 100

    /// When it is subscribed to.
    public static let subscribed = 200

    /// When the subscription is disposed of.
    public static let disposed = 1000
  }

  let time: VirtualTimeScheduler
  private let context: VirtualSerialContext

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - initialClock: The tick at the beginning.
  ///   - simulateProcessingDelay: Whether work that is scheduled for now runs at the next tick.
  public init(initialClock: TestTime = 0, simulateProcessingDelay: Bool = true) {
    time = VirtualTimeScheduler(
      now: .ticks(initialClock), tick: .ticks(1), delaysImmediateWork: simulateProcessingDelay)
    context = VirtualSerialContext(timer: time)
  }

  /// The virtual time.
  public var now: Duration {
    time.now
  }

  /// The virtual time in ticks.
  public var clock: TestTime {
    time.now.ticks
  }

  /// Has work run when its time has come.
  ///
  /// - Returns: What keeps the work from running if it has not begun.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    time.schedule(after: delay, work)
  }

  /// Has work run at a tick.
  public func scheduleAt(_ tick: TestTime, action: @escaping @Sendable () -> Void) {
    time.schedule(at: .ticks(tick), action)
  }

  /// Runs everything that is scheduled, and what that schedules.
  public func start() {
    CurrentSerialContext.$value.withValue(context) { time.run() }
  }

  /// Runs everything that is due until a tick.
  public func advanceTo(_ tick: TestTime) {
    CurrentSerialContext.$value.withValue(context) { time.advance(to: .ticks(tick)) }
  }

  /// Makes a stream, subscribes to it, disposes of that, and runs everything until nothing is left.
  ///
  /// - Returns: What the subscription received.
  public func start<Source: ObservableConvertibleType>(
    created: TestTime = Defaults.created,
    subscribed: TestTime = Defaults.subscribed,
    disposed: TestTime = Defaults.disposed,
    _ create: @escaping @Sendable () -> Source
  ) -> TestableObserver<Source.Element> {
    let observer = createObserver(Source.Element.self)
    let subscription = SerialDisposable()
    let source = Later<Observable<Source.Element>>()
    scheduleAt(created) { source.set(create().asObservable()) }
    scheduleAt(subscribed) { subscription.disposable = source.value?.subscribe(observer) }
    scheduleAt(disposed) { subscription.dispose() }
    start()
    return observer
  }

  /// Subscribes to a stream at a tick and, if named, disposes of that at another.
  ///
  /// - Returns: What will receive the events, once the scheduler runs.
  public func record<Source: ObservableConvertibleType>(
    _ source: Source, from subscribed: TestTime, until disposed: TestTime? = nil
  ) -> TestableObserver<Source.Element> {
    let observer = createObserver(Source.Element.self)
    let subscription = SerialDisposable()
    scheduleAt(subscribed) {
      subscription.disposable = source.asObservable().subscribe(observer)
    }
    if let disposed { scheduleAt(disposed) { subscription.dispose() } }
    return observer
  }

  /// Makes an observer that records what it receives, and when.
  public func createObserver<Element: Sendable>(
    _ type: Element.Type
  ) -> TestableObserver<Element> {
    TestableObserver(scheduler: self)
  }

  /// Makes a stream that emits at fixed ticks, whether or not anybody observes.
  public func createHotObservable<Element: Sendable>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .hot(events, on: self)
  }

  /// Makes a stream that emits to each observer at ticks that are counted from its subscription.
  public func createColdObservable<Element: Sendable>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .cold(events, on: self)
  }
}
