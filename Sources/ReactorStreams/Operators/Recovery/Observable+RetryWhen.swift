extension ObservableType {
  /// This stream, subscribed to anew when a stream that is made from its failures says so.
  ///
  /// - Parameter notificationHandler: Given the failures as a stream, makes the one that decides: an
  ///   element of it subscribes again, its failure fails this stream, its completion completes it.
  /// - Returns: The stream with its further attempts.
  public func retry<Trigger: Sendable>(
    when notificationHandler:
      @escaping @Sendable (Observable<any Error>) -> Observable<Trigger>
  ) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      RetryWhenSink(downstream, source).run(notificationHandler)
    }
  }

  /// This stream, subscribed to anew when a stream that is made from its failures of one type says
  /// so; a failure of another type passes through.
  public func retry<Failure: Error, Trigger: Sendable>(
    when notificationHandler: @escaping @Sendable (Observable<Failure>) -> Observable<Trigger>
  ) -> Observable<Element> {
    retry { (errors: Observable<any Error>) in
      notificationHandler(
        errors.map { error in
          guard let failure = error as? Failure else { throw error }
          return failure
        })
    }
  }
}

/// Hands failures to the deciding stream and subscribes again when it emits.
private final class RetryWhenSink<Element: Sendable>: Disposable {
  private let context = CurrentSerialContext.value
  private let source: Observable<Element>
  private let output: SerialSink<Element>
  private let failures = PublishSubject<any Error>()
  private let current = SerialDisposable()
  private let both = CompositeDisposable()
  private let attempts = SerialQueue<Void>()

  init(_ downstream: any ObserverType<Element>, _ source: Observable<Element>) {
    self.source = source
    output = SerialSink(downstream)
    output.hold(both)
    both.insert(current)
  }

  func run<Trigger: Sendable>(
    _ decide: (Observable<any Error>) -> Observable<Trigger>
  ) -> any Disposable {
    let triggers = decide(failures.asObservable()).subscribe(
      AnyObserver { [self] event in
        switch event {
        case .next: attempts.post((), handle: attempt)
        case .error(let error): output.on(.error(error))
        case .completed: output.on(.completed)
        }
      })
    both.insert(triggers)
    attempts.post((), handle: attempt)
    return output
  }

  func dispose() {
    output.dispose()
  }

  private func attempt(_: Void) {
    guard !both.isDisposed else { return }
    let inner = InnerSink<Element> { [self] event, inner in
      guard case .error(let error) = event else { return output.on(event) }
      inner.dispose()
      failures.on(.next(error))
    }
    current.disposable = inner
    inner.run(source, in: context)
  }
}
