/// A relay: a stream that accepts elements and cannot end.
public protocol RelayType<Element>: ObservableType {
  /// Sends an element to all observers.
  func accept(_ event: Element)
}

extension RelayType {
  /// This relay as an ``Infallible``.
  public func asInfallible() -> Infallible<Element> {
    Infallible(raw: asObservable())
  }
}

extension BehaviorRelay: RelayType {}
extension PublishRelay: RelayType {}
extension ReplayRelay: RelayType {}
