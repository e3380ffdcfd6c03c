/// A type that converts to an ``Observable``: an observable, a trait, a relay.
public protocol ObservableConvertibleType<Element>: Sendable {
  /// The elements of the stream.
  associatedtype Element: Sendable

  /// Returns this value as an ``Observable``.
  func asObservable() -> Observable<Element>
}
