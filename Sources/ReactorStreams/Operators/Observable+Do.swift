extension ObservableType {
  /// This stream, with closures that are called beside each event; if one throws, the stream fails.
  ///
  /// - Parameters:
  ///   - onNext: Called before an element is sent on.
  ///   - afterNext: Called after an element was sent on.
  ///   - onError: Called before a failure is sent on.
  ///   - afterError: Called after a failure was sent on.
  ///   - onCompleted: Called before the completion is sent on.
  ///   - afterCompleted: Called after the completion was sent on.
  ///   - onSubscribe: Called before this stream is subscribed to.
  ///   - onSubscribed: Called after this stream was subscribed to.
  ///   - onDispose: Called once when the subscription has ended, for whatever reason.
  /// - Returns: The same stream.
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
      onDispose: onDispose)
    return Observable { downstream in
      onSubscribe?()
      let subscription = DoSink(downstream, effects).run(self)
      onSubscribed?()
      return subscription
    }
  }
}
