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

  /// This value as a shared sequence.
  func asSharedSequence() -> SharedSequence<SharingStrategy, Element>
}

extension SharedSequenceConvertibleType {
  /// This value as an ``Observable``.
  public func asObservable() -> Observable<Element> {
    asSharedSequence().asObservable()
  }

  /// This value as an ``Infallible``.
  public func asInfallible() -> Infallible<Element> {
    Infallible(raw: asObservable())
  }
}

/// A stream for presentation: it never fails, delivers in the session's serial context, and has one
/// subscription for all observers.
///
/// A ``Driver`` or a ``Signal``. Where RxCocoa uses the main thread, this uses the session that the
/// stream belongs to; see ``MainScheduler``.
public struct SharedSequence<SharingStrategy: SharingStrategyProtocol, Element: Sendable>:
  SharedSequenceConvertibleType
{
  private let source: Observable<Element>

  /// Shares a stream that never fails and delivers in the session's context.
  init(raw source: Observable<Element>) {
    self.source = SharingStrategy.share(source)
  }

  /// This sequence as an ``Observable``.
  public func asObservable() -> Observable<Element> {
    source
  }

  /// This sequence.
  public func asSharedSequence() -> SharedSequence<SharingStrategy, Element> {
    self
  }
}

extension ObservableConvertibleType {
  /// This stream as a shared sequence, which emits one last element in place of an error.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self, onErrorJustReturn: Element
  ) -> SharedSequence<Strategy, Element> {
    asSharedSequence { _ in .just(onErrorJustReturn) }
  }

  /// This stream as a shared sequence, continued after an error by another one.
  public func asSharedSequence<Strategy: SharingStrategyProtocol>(
    sharingStrategy: Strategy.Type = Strategy.self,
    onErrorDriveWith: SharedSequence<Strategy, Element>
  ) -> SharedSequence<Strategy, Element> {
    asSharedSequence { _ in onErrorDriveWith }
  }

  /// This stream as a shared sequence, continued after an error by the one that a closure returns.
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
  /// A sequence of one element.
  public static func just(_ element: Element) -> Self {
    Self(raw: .just(element))
  }

  /// A sequence of elements.
  public static func of(_ elements: Element...) -> Self {
    from(elements)
  }

  /// A sequence of a Swift sequence's elements, which are read now.
  public static func from(_ elements: some Sequence<Element>) -> Self {
    Self(raw: .from(Array(elements), scheduler: SharingStrategy.scheduler))
  }

  /// A sequence of the value of an optional, or of no element.
  public static func from(optional: Element?) -> Self {
    Self(raw: .from(optional: optional, scheduler: SharingStrategy.scheduler))
  }

  /// A sequence that completes at once.
  public static func empty() -> Self {
    Self(raw: .empty())
  }

  /// A sequence that never emits and never ends.
  public static func never() -> Self {
    Self(raw: .never())
  }

  /// A sequence that a closure creates for each first observer.
  public static func deferred(_ observableFactory: @escaping @Sendable () -> Self) -> Self {
    Self(raw: .deferred { observableFactory().asObservable() })
  }
}

extension SharedSequence where Element: FixedWidthInteger {
  /// A sequence of 0, 1, 2, …, one element per period.
  public static func interval(_ period: Duration) -> Self {
    Self(raw: .interval(period, scheduler: SharingStrategy.scheduler))
  }

  /// A sequence of 0, 1, 2, …: the first element after a time, then one per period.
  public static func timer(_ dueTime: Duration, period: Duration) -> Self {
    Self(raw: .timer(dueTime, period: period, scheduler: SharingStrategy.scheduler))
  }
}
