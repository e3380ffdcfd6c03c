/// A relay: a stream that accepts elements and cannot end.
public protocol RelayType<Element>: ObservableType {
  /// Sends an element to all observers.
  func accept(_ event: Element)
}

extension BehaviorRelay: RelayType {}
extension PublishRelay: RelayType {}
extension ReplayRelay: RelayType {}
