extension ObservableType {
  /// Calls closures at the events of this stream.
  ///
  /// An error that a closure throws fails the stream.
  ///
  /// - Parameters:
  ///   - onNext: Called before an element is forwarded.
  ///   - afterNext: Called after an element is forwarded.
  ///   - onError: Called before an error is forwarded.
  ///   - afterError: Called after an error is forwarded.
  ///   - onCompleted: Called before the completion is forwarded.
  ///   - afterCompleted: Called after the completion is forwarded.
  ///   - onSubscribe: Called before this stream is subscribed to.
  ///   - onSubscribed: Called after this stream is subscribed to.
  ///   - onDispose: Called once, after `onSubscribed`, when the stream has ended or the subscription
  ///     was canceled.
  /// - Returns: A stream of the same events.
  public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil,
    afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil,
    onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Observable<Element> {
    let effects = SideEffects<Element>(
      before: { event in
        switch event {
        case .next(let element): try onNext?(element)
        case .error(let error): try onError?(error)
        case .completed: try onCompleted?()
        }
      },
      after: { event in
        switch event {
        case .next(let element): try afterNext?(element)
        case .error(let error): try afterError?(error)
        case .completed: try afterCompleted?()
        }
      },
      onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose)
    let source = asObservable()
    return Observable { DoSink($0, effects).attached(to: source) }
  }
}
