public import ReactorStreams

/// Executes streams in virtual time, counted in ticks, and records their events.
///
/// The names are those of RxTest.
///
/// By default a tick is one millisecond: `.milliseconds(100)` are 100 ticks. While the scheduler executes work,
/// `MainScheduler` uses its time.
///
/// ```swift
/// let scheduler = TestScheduler()
/// let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(250)])
/// let result = scheduler.start { source.map { $0 * 10 } }
/// #expect(result.events == [.next(210, 10), .next(220, 20), .completed(250)])
/// #expect(source.subscriptions == [Subscription(200, 250)])
/// ```
public final class TestScheduler: SchedulerType {
  /// The default ticks of ``start(created:subscribed:disposed:_:)``.
  public enum Defaults {
    /// The tick at which the stream is created.
    public static let created = 100

    /// The tick at which the stream is subscribed to.
    public static let subscribed = 200

    /// The tick at which the subscription is disposed of.
    public static let disposed = 1000
  }

  let time: VirtualTimeScheduler
  private let resolution: Duration
  private let context: VirtualSerialContext

  /// Creates a scheduler.
  ///
  /// - Parameters:
  ///   - initialClock: The initial tick.
  ///   - resolution: The length of a tick in seconds, at least a nanosecond. In RxTest it is a second by
  ///     default.
  ///   - simulateProcessingDelay: Whether work without a delay is executed at the next tick.
  public init(
    initialClock: TestTime = 0, resolution: Double = 0.001, simulateProcessingDelay: Bool = true
  ) {
    let tick = max(Duration.nanoseconds(1), Duration.seconds(resolution))
    self.resolution = tick
    time = VirtualTimeScheduler(
      now: tick * initialClock, tick: tick, delaysImmediateWork: simulateProcessingDelay)
    context = VirtualSerialContext(timer: time)
  }

  /// The virtual time.
  public var now: Duration {
    time.now
  }

  /// The virtual time in ticks.
  public var clock: TestTime {
    TestTime(clamping: time.now.attoseconds / resolution.attoseconds)
  }

  /// Schedules work after a delay.
  ///
  /// - Returns: A disposable that cancels work that has not started.
  @discardableResult
  public func schedule(
    after delay: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable {
    time.schedule(after: delay, work)
  }

  /// Schedules work at a tick.
  public func scheduleAt(_ tick: TestTime, action: @escaping @Sendable () -> Void) {
    time.schedule(at: duration(ofTicks: tick), action)
  }

  /// Returns the duration of a number of ticks.
  func duration(ofTicks count: TestTime) -> Duration {
    resolution * count
  }

  /// Executes all scheduled work, including work that is scheduled by it.
  public func start() {
    asMainScheduler { time.run() }
  }

  /// Calls a closure during which `MainScheduler` uses this scheduler.
  func asMainScheduler(_ body: () throws -> Void) rethrows {
    try CurrentSerialContext.$value.withValue(context, operation: body)
  }

  /// Executes all work that is due until a tick.
  public func advanceTo(_ tick: TestTime) {
    asMainScheduler { time.advance(to: duration(ofTicks: tick)) }
  }

  /// Creates a stream, subscribes to it, disposes of the subscription, and executes all work.
  ///
  /// - Returns: The recorded events.
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

  /// Subscribes to a stream at a tick and, optionally, disposes of the subscription at another.
  ///
  /// - Returns: An observer that records the events when the scheduler executes its work.
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

  /// Creates an observer that records events with their ticks.
  public func createObserver<Element: Sendable>(
    _ type: Element.Type
  ) -> TestableObserver<Element> {
    TestableObserver(scheduler: self)
  }

  /// Creates a stream that emits at fixed ticks.
  public func createHotObservable<Element: Sendable>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .hot(events, on: self)
  }

  /// Creates a stream that emits at ticks relative to each subscription.
  public func createColdObservable<Element: Sendable>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .cold(events, on: self)
  }
}
