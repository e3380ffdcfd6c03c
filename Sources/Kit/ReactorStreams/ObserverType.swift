/// A type that receives the events of a stream.
///
/// A stream calls `on` for one event at a time, on the thread that emitted it.
public protocol ObserverType<Element>: Sendable {
  /// The elements of the observed stream.
  associatedtype Element: Sendable

  /// Receives one event.
  func on(_ event: Event<Element>)
}

extension ObserverType {
  /// Receives an element; short for `on(.next(element))`.
  @inlinable
  public func onNext(_ element: Element) {
    on(.next(element))
  }

  /// Receives an error; short for `on(.error(error))`.
  @inlinable
  public func onError(_ error: any Error) {
    on(.error(error))
  }

  /// Receives the completion; short for `on(.completed)`.
  @inlinable
  public func onCompleted() {
    on(.completed)
  }

  /// Returns an observer that transforms elements with a closure and passes the results to this
  /// observer.
  ///
  /// An error that the closure throws is passed on as an `error` event.
  public func mapObserver<Result: Sendable>(
    _ transform: @escaping @Sendable (Result) throws -> Element
  ) -> AnyObserver<Result> {
    AnyObserver { event in on(event.map(transform)) }
  }

  /// Returns this observer with its type erased.
  public func asObserver() -> AnyObserver<Element> {
    AnyObserver(self)
  }
}

/// A type-erased observer, which ``Observable/create(_:)`` passes to its closure.
public struct AnyObserver<Element: Sendable>: ObserverType {
  private let base: any ObserverType<Element>

  /// Wraps an observer.
  public init(_ base: any ObserverType<Element>) {
    self.base = base
  }

  /// Creates an observer that calls a closure for each event.
  public init(eventHandler: @escaping @Sendable (Event<Element>) -> Void) {
    base = ClosureObserver(handle: eventHandler)
  }

  /// Forwards one event.
  public func on(_ event: Event<Element>) {
    base.on(event)
  }
}

private final class ClosureObserver<Element: Sendable>: ObserverType {
  private let handle: @Sendable (Event<Element>) -> Void

  init(handle: @escaping @Sendable (Event<Element>) -> Void) {
    self.handle = handle
  }

  func on(_ event: Event<Element>) {
    handle(event)
  }
}
