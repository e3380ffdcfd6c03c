/// A stream that is also an observer.
public protocol SubjectType<Element>: ObservableType, ObserverType {}

extension SubjectType {
  /// This subject.
  public func asObserver() -> Self {
    self
  }
}
