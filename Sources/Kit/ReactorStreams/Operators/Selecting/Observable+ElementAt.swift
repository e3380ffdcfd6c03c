extension ObservableType {
  /// Returns a stream of the only element of this stream.
  ///
  /// The result fails with ``RxError/noElements`` if this stream is empty, and with
  /// ``RxError/moreThanOneElement`` at the second element.
  public func single() -> Observable<Element> {
    single { _ in true }
  }

  /// Returns a stream of the only element of this stream that satisfies a predicate; see
  /// ``single()``.
  public func single(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    lift(state: { AtomicFlag() }) { element, hasOne, sink in
      guard try predicate(element) else { return }
      guard hasOne.set() else { throw RxError.moreThanOneElement }
      sink.forward(element)
    } completed: { hasOne, _ in
      if !hasOne.isSet { throw RxError.noElements }
    }
  }

  /// Returns a stream of the element at an index, counted from 0.
  ///
  /// It fails with ``RxError/argumentOutOfRange`` if this stream has fewer elements.
  public func element(at index: Int) -> Observable<Element> {
    lift(state: { Box(0) }) { element, next, sink in
      let position = next.withLock { next in
        defer { next += 1 }
        return next
      }
      guard position == index else { return }
      sink.forward(element)
      sink.finish()
    } completed: { _, _ in
      throw RxError.argumentOutOfRange
    }
  }

  /// Returns a stream of only the stop event of this stream.
  public func ignoreElements() -> Observable<Never> {
    withoutElements()
  }

  /// Returns a stream of only the stop event of this stream, with any element type.
  package func withoutElements<Result: Sendable>() -> Observable<Result> {
    lift { _, _ in }
  }

  /// Returns this stream, or a stream of one element if this stream is empty.
  public func ifEmpty(default element: Element) -> Observable<Element> {
    ifEmpty(switchTo: .just(element))
  }

  /// Returns this stream, or another stream if this stream is empty.
  public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      let isEmpty = Box(true)
      let current = SerialDisposable()
      let first = SingleAssignmentDisposable()
      current.disposable = first
      first.setDisposable(
        source.attach(
          AnyObserver { event in
            guard !current.isDisposed else { return }
            if case .next = event { isEmpty.withLock { $0 = false } }
            if case .completed = event, isEmpty.value {
              current.disposable = other.attach(downstream)
            } else {
              downstream.on(event)
              if event.isStopEvent { current.dispose() }
            }
          }))
      return current
    }
  }
}
