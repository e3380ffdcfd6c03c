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
    let events: Observable<Element> = lift {
      { event, sink in
        do {
          switch event {
          case .next(let element):
            try onNext?(element)
            sink.forward(element)
            try afterNext?(element)
          case .error(let error):
            try onError?(error)
            sink.finish(error)
            try afterError?(error)
          case .completed:
            try onCompleted?()
            sink.finish()
            try afterCompleted?()
          }
        } catch {
          sink.finish(error)
        }
      }
    }
    guard onSubscribe != nil || onSubscribed != nil || onDispose != nil else { return events }
    return Observable { downstream in
      onSubscribe?()
      let terminal = TerminalSink<Element>(handle: downstream.on, onDisposed: onDispose)
      terminal.hold(events.subscribe(terminal))
      onSubscribed?()
      return terminal
    }
  }
}
