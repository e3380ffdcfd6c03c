internal import Synchronization

extension ObservableType {
  /// This stream, and where it fails, the one that a closure makes from the failure.
  ///
  /// A failure that the closure throws, or of the stream that it made, passes through.
  public func `catch`(
    _ handler: @escaping @Sendable (any Error) throws -> Observable<Element>
  ) -> Observable<Element> {
    Observable { downstream in
      let isRecovered = Atomic<Bool>(false)
      let sink = RecoverySink(downstream) { error in
        guard !isRecovered.exchange(true, ordering: .relaxed) else { return .fail(error) }
        do { return .run(try handler(error)) } catch { return .fail(error) }
      }
      return sink.run(asObservable())
    }
  }

  /// This stream, and where it fails, one last element.
  public func catchAndReturn(_ element: Element) -> Observable<Element> {
    self.catch { _ in .just(element) }
  }

  /// This stream, subscribed to anew each time it fails.
  public func retry() -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      RecoverySink(downstream) { _ in .run(source) }.run(source)
    }
  }

  /// This stream, subscribed to anew when it fails.
  ///
  /// - Parameter maxAttemptCount: How often it is subscribed to at most, the first time included; a
  ///   number below 1 means not at all, and the stream is empty.
  /// - Returns: The stream with its further attempts.
  public func retry(_ maxAttemptCount: Int) -> Observable<Element> {
    guard maxAttemptCount > 0 else { return .empty() }
    let source = asObservable()
    return Observable { downstream in
      let failures = Atomic<Int>(0)
      let sink = RecoverySink(downstream) { error in
        let count = failures.add(1, ordering: .relaxed).newValue
        return count < maxAttemptCount ? .run(source) : .fail(error)
      }
      return sink.run(source)
    }
  }
}
