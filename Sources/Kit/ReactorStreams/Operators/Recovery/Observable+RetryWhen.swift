internal import Synchronization

extension ObservableType {
  /// Returns this stream, subscribed to again when a stream that is derived from its errors emits.
  ///
  /// - Parameter notificationHandler: Receives the errors as a stream and returns the trigger.
  ///   After an error, an element of the trigger causes the next subscription. An error of the
  ///   trigger fails the result, and its completion completes the result, even if it precedes the
  ///   error of this stream. While this stream has not failed, elements of the trigger have no
  ///   effect.
  /// - Returns: The stream of all attempts.
  public func retry<Trigger: ObservableConvertibleType>(
    when notificationHandler: @escaping @Sendable (Observable<any Error>) -> Trigger
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      RetryWhenSink(downstream, source).attached { notificationHandler($0).asObservable() }
    }
  }

  /// Returns this stream, subscribed to again when a stream that is derived from its errors of one
  /// type emits.
  ///
  /// An error of another type is forwarded.
  public func retry<Failure: Error, Trigger: ObservableConvertibleType>(
    when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Trigger
  ) -> Observable<Element> {
    retry { (errors: Observable<any Error>) in
      notificationHandler(
        errors.map { error in
          guard let failure = error as? Failure else { throw error }
          return failure
        }
      ).asObservable()
    }
  }
}

/// Sends errors to the trigger's input and subscribes again when the trigger emits.
private final class RetryWhenSink<Element: Sendable>: Disposable {
  private struct State {
    /// Whether the source has failed and the trigger has not emitted since.
    var isWaiting = false
    var triggerEnd: Event<Element>?
  }

  private let context = CurrentSerialContext.value
  private let source: Observable<Element>
  private let output: SerialSink<Element>
  private let failures = PublishSubject<any Error>()
  private let current = SerialDisposable()
  private let both = CompositeDisposable()
  private let attempts = SerialQueue<Void>()
  private let state = Mutex(State())

  init(_ downstream: any ObserverType<Element>, _ source: Observable<Element>) {
    self.source = source
    output = SerialSink(downstream)
    output.hold(both)
    both.insert(current)
  }

  func attached<Trigger: Sendable>(
    _ makeTrigger: (Observable<any Error>) -> Observable<Trigger>
  ) -> any Disposable {
    let trigger = makeTrigger(failures.asObservable()).attach(
      AnyObserver { [self] event in
        switch event {
        case .next:
          let mustAttempt = state.withLock { state in
            defer { state.isWaiting = false }
            return state.isWaiting
          }
          if mustAttempt { attempts.post((), handle: attempt) }
        case .error(let error): triggerEnded(.error(error))
        case .completed: triggerEnded(.completed)
        }
      })
    both.insert(trigger)
    attempts.post((), handle: attempt)
    return output
  }

  func dispose() {
    output.dispose()
  }

  private func triggerEnded(_ end: Event<Element>) {
    let isWaiting = state.withLock { state in
      state.triggerEnd = end
      return state.isWaiting
    }
    if isWaiting { output.on(end) }
  }

  private func sourceFailed(_ error: any Error) {
    let end = state.withLock { state in
      state.isWaiting = true
      return state.triggerEnd
    }
    if let end { output.on(end) } else { failures.on(.next(error)) }
  }

  private func attempt(_: Void) {
    guard !both.isDisposed else { return }
    let inner = InnerSink<Element> { [self] event, inner in
      guard case .error(let error) = event else { return output.on(event) }
      inner.dispose()
      sourceFailed(error)
    }
    current.disposable = inner
    inner.attach(to: source, in: context)
  }
}
