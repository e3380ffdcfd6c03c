/// A stream with a restricted number of elements: a ``Single``, or a `Maybe` or
/// `Completable` of `ReactorRx`.
public struct PrimitiveSequence<Trait, Element: Sendable>: PrimitiveSequenceType {
  private let source: Observable<Element>

  /// Wraps a stream that satisfies the trait's restriction.
  package init(raw source: Observable<Element>) {
    self.source = source
  }

  /// This sequence.
  public var primitiveSequence: PrimitiveSequence<Trait, Element> {
    self
  }

  /// Returns this sequence as an ``Observable``.
  public func asObservable() -> Observable<Element> {
    source
  }
}

/// A type that converts to a ``PrimitiveSequence``.
public protocol PrimitiveSequenceType<Trait, Element>: ObservableConvertibleType {
  /// The restriction on the number of elements.
  associatedtype Trait

  /// This value as a primitive sequence.
  var primitiveSequence: PrimitiveSequence<Trait, Element> { get }
}

extension PrimitiveSequenceType {
  /// Returns this value as an ``Observable``.
  public func asObservable() -> Observable<Element> {
    primitiveSequence.asObservable()
  }
}

extension PrimitiveSequence {
  /// Returns a sequence that fails.
  public static func error(_ error: any Error) -> Self {
    Self(raw: .error(error))
  }

  /// Returns a sequence that never ends.
  public static func never() -> Self {
    Self(raw: .never())
  }

  /// Returns a sequence that a closure creates for each subscription.
  public static func deferred(
    _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    Self(raw: .deferred { try observableFactory().asObservable() })
  }

  /// Returns a sequence with a resource that is created for each subscription and disposed of when
  /// the subscription ends.
  public static func using<Resource: Disposable>(
    _ resourceFactory: @escaping @Sendable () throws -> Resource,
    primitiveSequenceFactory:
      @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
  ) -> PrimitiveSequence<Trait, Element> {
    Self(
      raw: .using(resourceFactory) { try primitiveSequenceFactory($0).asObservable() })
  }

  /// Returns this sequence, delayed by a duration.
  ///
  /// An error is not delayed.
  public func delay(_ dueTime: Duration, scheduler: any SchedulerType) -> Self {
    Self(raw: source.delay(dueTime, scheduler: scheduler))
  }

  /// Returns this sequence with its subscription delayed by a duration.
  public func delaySubscription(_ dueTime: Duration, scheduler: any SchedulerType) -> Self {
    Self(raw: source.delaySubscription(dueTime, scheduler: scheduler))
  }

  /// Returns this sequence with its events delivered by a scheduler.
  public func observe(on scheduler: any SchedulerType) -> Self {
    Self(raw: source.observe(on: scheduler))
  }

  /// Returns this sequence with its subscription started and disposed of by a scheduler.
  public func subscribe(on scheduler: any SchedulerType) -> Self {
    Self(raw: source.subscribe(on: scheduler))
  }

  /// Returns this sequence, continued after an error by the sequence that a closure returns for the
  /// error.
  public func `catch`(_ handler: @escaping @Sendable (any Error) throws -> Self) -> Self {
    Self(raw: source.catch { try handler($0).asObservable() })
  }

  /// Returns this sequence, continued after an error of one type by the sequence that a closure returns
  /// for the error.
  ///
  /// An error of another type is forwarded.
  public func `catch`<Failure: Error>(
    _ handler: @escaping @Sendable (Failure) throws -> Self
  ) -> Self {
    self.catch { (error: any Error) in
      guard let failure = error as? Failure else { throw error }
      return try handler(failure)
    }
  }

  /// Returns this sequence, subscribed to again after each error.
  public func retry() -> Self {
    Self(raw: source.retry())
  }

  /// Returns this sequence, subscribed to again after an error, up to a number of attempts.
  ///
  /// - Parameter maxAttemptCount: The maximum number of subscriptions, at least 1.
  /// - Returns: The sequence of all attempts.
  public func retry(_ maxAttemptCount: Int) -> Self {
    Self(raw: source.retry(max(1, maxAttemptCount)))
  }

  /// Returns this sequence, subscribed to again when a stream that is derived from its errors
  /// emits.
  public func retry<Trigger: ObservableConvertibleType>(
    when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
  ) -> Self {
    Self(raw: source.retry(when: notificationHandler))
  }

  /// Returns this sequence, subscribed to again when a stream that is derived from its errors of
  /// one type emits.
  public func retry<Failure: Error, Trigger: ObservableConvertibleType>(
    when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
  ) -> Self {
    Self(raw: source.retry(when: notificationHandler))
  }

  /// Prints the events of this sequence.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false,
    file: StaticString = #fileID, line: UInt = #line, function: StaticString = #function
  ) -> Self {
    Self(
      raw: source.debug(
        identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }

  /// Returns this sequence, failing with ``RxError/timeout`` if no event arrives within a duration.
  public func timeout(_ dueTime: Duration, scheduler: any SchedulerType) -> Self {
    Self(raw: source.timeout(dueTime, scheduler: scheduler))
  }

  /// Returns this sequence, replaced by another sequence if no event arrives within a duration.
  public func timeout(_ dueTime: Duration, other: Self, scheduler: any SchedulerType) -> Self {
    Self(raw: source.timeout(dueTime, other: other, scheduler: scheduler))
  }
}

extension PrimitiveSequence where Element: FixedWidthInteger {
  /// Returns a sequence that emits 0 after a delay.
  public static func timer(_ dueTime: Duration, scheduler: any SchedulerType) -> Self {
    Self(raw: .timer(dueTime, scheduler: scheduler))
  }
}

extension ObservableType {
  /// Returns a single of the only element of this stream, emitted when it completes.
  ///
  /// The single fails with ``RxError/noElements`` if the stream is empty, and with
  /// ``RxError/moreThanOneElement`` at the second element.
  public func asSingle() -> Single<Element> {
    Single(raw: only { throw RxError.noElements })
  }

  /// Returns a stream of the only element of this stream, emitted when it completes.
  ///
  /// - Parameter requireElement: Called if this stream is empty; it can throw.
  /// - Returns: The stream. It fails at the second element.
  package func only(
    _ requireElement: @escaping @Sendable () throws -> Void
  ) -> Observable<Element> {
    lift(state: { Box<Element?>(nil) }) { element, held, _ in
      let isFirst = held.withLock { held in
        guard held == nil else { return false }
        held = element
        return true
      }
      if !isFirst { throw RxError.moreThanOneElement }
    } completed: { held, sink in
      if let element = held.value { sink.forward(element) } else { try requireElement() }
    }
  }
}
