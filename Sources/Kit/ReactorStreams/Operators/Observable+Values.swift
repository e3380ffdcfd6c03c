extension ObservableConvertibleType {
  /// This stream as an asynchronous sequence.
  ///
  /// The subscription starts when the property is read, and ends with the iteration. The iteration
  /// throws the stream's error, or `CancellationError` if its task is canceled. Elements that arrive
  /// faster than they are consumed are stored, without a limit.
  public var values: AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream { continuation in
      let subscription = asObservable().subscribe(
        onNext: { continuation.yield($0) },
        onError: { continuation.finish(throwing: $0) },
        onCompleted: { continuation.finish() },
        onDisposed: { continuation.finish(throwing: CancellationError()) })
      continuation.onTermination = { reason in
        subscription.dispose()
      }
    }
  }
}
