/// A type that can be observed: a stream of elements that ends at most once.
public protocol ObservableType<Element>: BindableType {
  /// Starts delivering events to an observer.
  ///
  /// - Returns: A disposable that cancels the delivery. If another thread, or another observer of
  ///   the same subject, disposes of it during the delivery of an event, that event can still
  ///   arrive; later events do not.
  func subscribe(_ observer: any ObserverType<Element>) -> any Disposable
}

extension ObservableType {
  /// Returns this stream as an ``Observable``.
  @inlinable
  public func asObservable() -> Observable<Element> {
    Observable(source: .forwarding { subscribe($0) })
  }

  /// Starts delivering events to closures.
  ///
  /// - Parameters:
  ///   - onNext: Called with each element.
  ///   - onError: Called with the error if the stream fails.
  ///   - onCompleted: Called when the stream completes.
  ///   - onDisposed: Called once, when the stream has ended or the subscription was canceled.
  /// - Returns: A disposable that cancels the subscription.
  @inlinable
  public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil,
    onError: (@Sendable (any Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil,
    onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    TerminalSink.subscribe(asObservable(), onDisposed: onDisposed) { event, sink in
      switch event {
      case .next(let element): onNext?(element)
      case .error(let error):
        sink.end { if let onError { onError(error) } else { Hooks.reportUnhandled(error) } }
      case .completed: sink.end { onCompleted?() }
      }
    }
  }

  /// Starts delivering events to a closure.
  ///
  /// - Returns: A disposable that cancels the subscription.
  @inlinable
  public func subscribe(
    _ handle: @escaping @Sendable (Event<Element>) -> Void
  ) -> any Disposable {
    TerminalSink.subscribe(asObservable()) { event, sink in
      if event.isStopEvent { sink.end { handle(event) } } else { handle(event) }
    }
  }

  /// Starts delivering events to closures together with an object that the subscription does not
  /// retain.
  ///
  /// - Parameters:
  ///   - object: Passed to each closure. After it is deallocated, no closure is called.
  ///   - onNext: Called with each element.
  ///   - onError: Called with the error if the stream fails.
  ///   - onCompleted: Called when the stream completes.
  ///   - onDisposed: Called once, when the stream has ended or the subscription was canceled.
  /// - Returns: A disposable that cancels the subscription.
  public func subscribe<Owner: AnyObject & Sendable>(
    with object: Owner,
    onNext: (@Sendable (Owner, Element) -> Void)? = nil,
    onError: (@Sendable (Owner, any Error) -> Void)? = nil,
    onCompleted: (@Sendable (Owner) -> Void)? = nil,
    onDisposed: (@Sendable (Owner) -> Void)? = nil
  ) -> any Disposable {
    subscribe(
      onNext: { [weak object] element in if let object { onNext?(object, element) } },
      onError: { [weak object] error in
        if let object, let onError { onError(object, error) } else { Hooks.reportUnhandled(error) }
      },
      onCompleted: { [weak object] in if let object { onCompleted?(object) } },
      onDisposed: { [weak object] in if let object { onDisposed?(object) } })
  }
}
