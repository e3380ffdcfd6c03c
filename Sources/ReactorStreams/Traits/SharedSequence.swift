/// How the observers of a ``SharedSequence`` share one subscription.
public protocol SharingStrategyProtocol: Sendable {
  /// Makes a stream shared.
  static func share<Element: Sendable>(_ source: Observable<Element>) -> Observable<Element>
}

/// A stream for what is shown: it never fails, delivers in the session's serial context, and is
/// subscribed to once for all who observe.
///
/// A ``Driver`` or a ``Signal``.
///
/// Where RxCocoa means the main thread, this means the session that runs the stream; see
/// ``MainScheduler``.
public struct SharedSequence<Strategy: SharingStrategyProtocol, Element: Sendable>:
  ObservableConvertibleType
{
  private let source: Observable<Element>

  /// Shares a stream that does not fail and delivers in the session's context.
  init(keeping source: Observable<Element>) {
    self.source = Strategy.share(source)
  }

  /// Shares a stream: its events are delivered in the session's context, and where it fails, another
  /// takes its place.
  init(
    _ source: Observable<Element>, recover: @escaping @Sendable (any Error) -> Observable<Element>
  ) {
    self.init(keeping: source.observe(on: MainScheduler.instance).catch(recover))
  }

  /// This as an ``Observable``.
  public func asObservable() -> Observable<Element> {
    source
  }

  /// This with ``Driver``'s sharing.
  public func asDriver() -> Driver<Element> {
    Driver(keeping: source)
  }
}

extension SharedSequence {
  /// A sequence of one element.
  public static func just(_ element: Element) -> Self {
    Self(keeping: .just(element))
  }

  /// A sequence of these elements.
  public static func of(_ elements: Element...) -> Self {
    Self(keeping: .from(elements))
  }

  /// A sequence of a sequence's elements, which are read now.
  public static func from(_ elements: [Element]) -> Self {
    Self(keeping: .from(elements))
  }

  /// A sequence that completes at once.
  public static func empty() -> Self {
    Self(keeping: .empty())
  }

  /// A sequence that never emits and never ends.
  public static func never() -> Self {
    Self(keeping: .never())
  }

  /// A sequence that is made anew each time a first observer comes.
  public static func deferred(_ make: @escaping @Sendable () -> Self) -> Self {
    Self(keeping: .deferred { make().asObservable() })
  }
}
