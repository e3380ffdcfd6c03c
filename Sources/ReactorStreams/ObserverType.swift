/// Something that receives the events of a stream.
///
/// A stream calls `on` for one event at a time, on whatever thread emitted it.
public protocol ObserverType<Element>: Sendable {
  /// What the observed stream emits.
  associatedtype Element: Sendable

  /// Receives one event.
  func on(_ event: Event<Element>)
}

extension ObserverType {
  /// Receives an element: short for `on(.next(element))`.
  @inlinable
  public func onNext(_ element: Element) {
    on(.next(element))
  }

  /// Receives a failure: short for `on(.error(error))`.
  @inlinable
  public func onError(_ error: any Error) {
    on(.error(error))
  }

  /// Receives the end: short for `on(.completed)`.
  @inlinable
  public func onCompleted() {
    on(.completed)
  }

  /// This observer without its type.
  public func asObserver() -> AnyObserver<Element> {
    AnyObserver(self)
  }
}

/// An observer without its type, such as ``Observable/create(_:)`` hands to its closure.
public struct AnyObserver<Element: Sendable>: ObserverType {
  private let base: any ObserverType<Element>

  /// Wraps an observer.
  public init(_ base: any ObserverType<Element>) {
    self.base = base
  }

  /// Makes an observer that calls a closure for each event.
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
