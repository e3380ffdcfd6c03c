/// Something that can be turned into an ``Observable``: an observable, a trait, a relay.
public protocol ObservableConvertibleType<Element>: Sendable {
  /// What the stream emits.
  associatedtype Element: Sendable

  /// This as an ``Observable``.
  func asObservable() -> Observable<Element>
}
