extension ObservableType {
  /// This stream, shared from `connect()` on; one who comes later gets the last elements at once.
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    ConnectableObservable(asObservable(), replay: bufferSize)
  }

  /// This stream, shared from `connect()` on; one who comes later gets all elements at once.
  ///
  /// Its memory grows with each element: keep it for streams that end soon.
  public func replayAll() -> ConnectableObservable<Element> {
    replay(.max)
  }

  /// This stream, shared from `connect()` on.
  public func publish() -> ConnectableObservable<Element> {
    replay(0)
  }
}
