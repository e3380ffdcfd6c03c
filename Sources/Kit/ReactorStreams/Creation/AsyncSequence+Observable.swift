extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// Returns this sequence as a stream.
  ///
  /// Each subscription iterates the sequence in a new task; disposing of the subscription cancels
  /// the task.
  public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
    .run(priority: priority) { send in
      for try await element in self { send(element) }
    }
  }
}

extension Observable {
  /// Returns a stream of an asynchronous sequence's elements.
  ///
  /// Each subscription iterates the sequence in a new task; disposing of the subscription cancels
  /// the task.
  public static func from<Source: AsyncSequence & Sendable>(
    _ sequence: Source
  ) -> Observable<Element> where Source.Element == Element {
    sequence.asObservable()
  }
}
