/// A stream that is also an observer.
public protocol SubjectType<Element>: ObservableType, ObserverType {}

extension SubjectType {
  /// Returns this subject.
  public func asObserver() -> Self {
    self
  }
}
