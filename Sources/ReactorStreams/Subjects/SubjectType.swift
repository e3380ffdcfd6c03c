/// Something that can be observed and fed.
public protocol SubjectType<Element>: ObservableType, ObserverType {}

extension SubjectType {
  /// The side that is fed, without the one that is observed.
  public func asObserver() -> AnyObserver<Element> {
    AnyObserver(self)
  }
}
