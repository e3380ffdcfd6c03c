/// The sharing of one subscription by the observers of a ``SharedSequence``.
public protocol SharingStrategyProtocol: Sendable {
  /// The scheduler on which elements are delivered.
  static var scheduler: any SchedulerType { get }

  /// Shares a stream.
  static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element>
}

extension SharingStrategyProtocol {
  /// The scheduler of the session's serial context.
  public static var scheduler: any SchedulerType {
    MainScheduler.instance
  }
}

/// A type that converts to a ``SharedSequence``.
public protocol SharedSequenceConvertibleType<SharingStrategy, Element>: ObservableConvertibleType {
  /// The sharing of the sequence.
  associatedtype SharingStrategy: SharingStrategyProtocol

  /// Returns this value as a shared sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
  /// Returns this value as an ``Observable``.
  public func asObservable() -> Observable<Element> {
    asSharedSequence().asObservable()
  }
}

/// A stream for presentation: it never fails, delivers in the session's serial context, and has one
/// subscription for all observers.
///
/// It is a ``Driver``, or a `Signal` of `ReactorRx`. RxCocoa uses the main thread; this type uses the serial
/// context of the session that the stream belongs to, see ``MainScheduler``. If several sessions
/// observe one instance, it delivers to all of them in the context of the session that subscribed
/// first: create an instance per session.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element: Sendable>:
  SharedSequenceConvertibleType
{
  private let source: Observable<Element>

  /// Shares a stream that never fails and delivers in the session's context.
  package init(raw source: Observable<Element>) {
    self.source = SharingStrategy.share(source)
  }

  /// Returns this sequence as an ``Observable``.
  public func asObservable() -> Observable<Element> {
    source
  }

  /// Returns this sequence.
  public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> {
    self
  }
}

extension ObservableConvertibleType {
  /// Returns this stream as a shared sequence, with an error replaced by a last element and the
  /// completion.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorJustReturn: Element
  ) -> SharedSequence<Strategy, Element> {
    asSharedSequence { _ in .just(onErrorJustReturn) }
  }

  /// Returns this stream as a shared sequence, continued after an error by another shared sequence.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorDriveWith: SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    asSharedSequence { _ in onErrorDriveWith }
  }

  /// Returns this stream as a shared sequence, continued after an error by the one that a closure
  /// returns.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    SharedSequence(
      raw: asObservable().observe(on: Strategy.scheduler)
        .catch { onErrorRecover($0).asObservable() })
  }
}

extension SharedSequence {
  /// Returns a sequence of one element.
  public static func just(_ element: Element) -> Self {
    Self(raw: .just(element))
  }

  /// Returns a sequence of elements.
  public static func of(_ elements: Element...) -> Self {
    from(elements)
  }

  /// Returns a sequence of a Swift sequence's elements.
  ///
  /// This call reads the Swift sequence.
  public static func from(_ elements: some Sequence<Element>) -> Self {
    Self(raw: .from(Array(elements), scheduler: SharingStrategy.scheduler))
  }

  /// Returns a sequence of the value of an optional; an empty sequence for `nil`.
  public static func from(optional: Element?) -> Self {
    Self(raw: .from(optional: optional, scheduler: SharingStrategy.scheduler))
  }

  /// Returns a sequence that completes immediately.
  public static func empty() -> Self {
    Self(raw: .empty())
  }

  /// Returns a sequence that never emits and never ends.
  public static func never() -> Self {
    Self(raw: .never())
  }

  /// Returns a sequence that a closure creates whenever the first observer subscribes.
  public static func deferred(_ observableFactory: @escaping @Sendable () -> Self) -> Self {
    Self(raw: .deferred { observableFactory().asObservable() })
  }
}

extension SharedSequence where Element: FixedWidthInteger {
  /// Returns a sequence of 0, 1, 2, …, one element per period.
  public static func interval(_ period: Duration) -> Self {
    Self(raw: .interval(period, scheduler: SharingStrategy.scheduler))
  }

  /// Returns a sequence of 0, 1, 2, …: the first element after a delay, then one element per
  /// period.
  public static func timer(_ dueTime: Duration, period: Duration) -> Self {
    Self(raw: .timer(dueTime, period: period, scheduler: SharingStrategy.scheduler))
  }
}
