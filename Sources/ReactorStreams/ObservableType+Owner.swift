extension ObservableType {
  /// Starts delivering events to closures, each with an object that the subscription does not keep.
  ///
  /// - Parameters:
  ///   - object: Handed to each closure. When it is gone, the closures are not called any more.
  ///   - onNext: Receives each element.
  ///   - onError: Receives the failure, if the stream ends with one.
  ///   - onCompleted: Called when the stream ends without a failure.
  ///   - onDisposed: Called once, when the subscription has ended for whatever reason.
  /// - Returns: What ends the subscription.
  public func subscribe<Owner: AnyObject & Sendable>(
    with object: Owner,
    onNext: (@Sendable (Owner, Element) -> Void)? = nil,
    onError: (@Sendable (Owner, any Error) -> Void)? = nil,
    onCompleted: (@Sendable (Owner) -> Void)? = nil,
    onDisposed: (@Sendable (Owner) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: { [weak object] element in if let object { onNext?(object, element) } },
      onError: { [weak object] error in if let object { onError?(object, error) } },
      onCompleted: { [weak object] in if let object { onCompleted?(object) } },
      onDisposed: { [weak object] in if let object { onDisposed?(object) } })
  }

  /// Each element together with an object that the stream does not keep; completes when the object
  /// is gone at the next element.
  public func withUnretained<Owner: AnyObject & Sendable, Result: Sendable>(
    _ object: Owner,
    resultSelector: @escaping @Sendable (Owner, Element) -> Result
  ) -> Observable<Result> {
    lift { [weak object] element, sink in
      guard let object else { return sink.finish() }
      sink.forward(resultSelector(object, element))
    }
  }

  /// Each element together with an object that the stream does not keep; completes when the object
  /// is gone at the next element.
  public func withUnretained<Owner: AnyObject & Sendable>(
    _ object: Owner
  ) -> Observable<(Owner, Element)> {
    withUnretained(object) { ($0, $1) }
  }
}
