extension ObservableConvertibleType {
  /// This stream as an asynchronous sequence, which throws the failure.
  ///
  /// Iterating begins when the sequence is made; leaving the iteration, or cancelling its task, ends
  /// the subscription. Elements that come faster than they are taken wait, however many.
  public var values: AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream { continuation in
      let subscription = asObservable().subscribe { event in
        switch event {
        case .next(let element): continuation.yield(element)
        case .error(let error): continuation.finish(throwing: error)
        case .completed: continuation.finish()
        }
      }
      continuation.onTermination = { _ in subscription.dispose() }
    }
  }
}
