extension ObservableType {
  /// The only element of this stream.
  ///
  /// It fails with ``RxError/noElements`` if the stream is empty, and with
  /// ``RxError/moreThanOneElement`` at a second element.
  public func single() -> Observable<Element> {
    single { _ in true }
  }

  /// The only element of this stream that satisfies a predicate; see ``single()``.
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

  /// The element at an index, counted from 0; it fails with ``RxError/argumentOutOfRange`` if the
  /// stream has fewer elements.
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

  /// The stop event of this stream.
  public func ignoreElements() -> Observable<Never> {
    withoutElements()
  }

  /// The stop event of this stream, as a stream of any element type.
  func withoutElements<Result: Sendable>() -> Observable<Result> {
    lift { _, _ in }
  }

  /// This stream, or one element if it is empty.
  public func ifEmpty(default element: Element) -> Observable<Element> {
    ifEmpty(switchTo: .just(element))
  }

  /// This stream, or another one if it is empty.
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
