extension ObservableType {
  /// Returns a single of all elements of this stream, emitted when it completes.
  public func toArray() -> Single<[Element]> {
    Single(
      raw: lift(state: { Box<[Element]>([]) }) { element, all, _ in
        all.withLock { $0.append(element) }
      } completed: { all, sink in
        sink.forward(all.value)
      })
  }

  /// Returns a single of the first element of this stream, or of `nil` if it is empty.
  public func first() -> Single<Element?> {
    Single(raw: map { $0 }.take(1).ifEmpty(default: nil))
  }
}
