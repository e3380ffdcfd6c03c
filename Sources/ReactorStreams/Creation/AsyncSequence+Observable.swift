extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// This sequence as a stream.
  ///
  /// Each subscription iterates in a task of its own, which disposing cancels.
  public func asObservable() -> Observable<Element> {
    .run { send in
      for try await element in self { send(element) }
    }
  }
}

extension Observable {
  /// A stream of an asynchronous sequence's elements.
  ///
  /// Each subscription iterates in a task of its own, which disposing cancels.
  public static func from<Source: AsyncSequence & Sendable>(
    _ sequence: Source
  ) -> Observable<Element> where Source.Element == Element {
    sequence.asObservable()
  }
}
