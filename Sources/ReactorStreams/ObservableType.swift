/// Something that can be observed: a stream of elements that ends at most once.
public protocol ObservableType<Element>: ObservableConvertibleType {
  /// Starts delivering events to an observer.
  ///
  /// - Returns: What ends the delivery. An event that is being delivered while another thread, or
  ///   another observer of the same subject, disposes may still arrive; no later one does.
  func subscribe(_ observer: any ObserverType<Element>) -> any Disposable
}

extension ObservableType {
  /// This stream as an ``Observable``.
  public func asObservable() -> Observable<Element> {
    if let observable = self as? Observable<Element> { return observable }
    return Observable { subscribe($0) }
  }

  /// Starts delivering events to closures.
  ///
  /// - Parameters:
  ///   - onNext: Receives each element.
  ///   - onError: Receives the failure, if the stream ends with one.
  ///   - onCompleted: Called when the stream ends without a failure.
  ///   - onDisposed: Called once, when the subscription has ended for whatever reason.
  /// - Returns: What ends the subscription.
  @inlinable
  public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let terminal = TerminalSink<Element>(
      handle: { event, sink in
        switch event {
        case .next(let element): onNext?(element)
        case .error(let error): sink.end { onError?(error) }
        case .completed: sink.end { onCompleted?() }
        }
      },
      onDisposed: onDisposed)
    terminal.hold(subscribe(terminal))
    return terminal
  }

  /// Starts delivering events to one closure.
  ///
  /// - Returns: What ends the subscription.
  @inlinable
  public func subscribe(
    _ handle: @escaping @Sendable (Event<Element>) -> Void
  ) -> any Disposable {
    let terminal = TerminalSink<Element>(
      handle: { event, sink in
        if event.isStopEvent { sink.end { handle(event) } } else { handle(event) }
      },
      onDisposed: nil)
    terminal.hold(subscribe(terminal))
    return terminal
  }
}
