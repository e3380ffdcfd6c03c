public import ReactorStreams

extension ObservableType {
  /// Returns this stream, cancellable with `cancel(id:)`.
  ///
  /// For streams that `mutate` returns; elsewhere the stream cannot be cancelled. A cancelled stream
  /// completes, so that a `concat` continues with the next. A stream that was created and has not
  /// begun is cancelled as well: it completes when it begins. An element that another thread has
  /// emitted and that waits for its turn is dropped. The id belongs to the reactor instance.
  ///
  /// ```swift
  /// case .search(let text):
  ///   return api.search(text).map(Mutation.setResults).cancellable(id: "search", cancelInFlight: true)
  /// case .clear:
  ///   return .concat(.cancel(id: "search"), .just(.setResults([])))
  /// ```
  ///
  /// - Parameters:
  ///   - id: The cancellation id. Several streams can share an id.
  ///   - cancelInFlight: Whether earlier streams with the id end when this one begins.
  /// - Returns: A stream of the same elements.
  public func cancellable(
    id: some Hashable & Sendable, cancelInFlight: Bool = false
  ) -> Observable<Element> {
    let id = CancellationID(id)
    let made = CancellationMoment.next()
    let source = asObservable()
    return Observable { downstream in
      guard let (effect, scope) = EffectContext.current, let context = CurrentSerialContext.value
      else { return source.attach(downstream) }
      let sink = TurnSink(downstream, in: context)
      let entry = scope.enter(
        id, made: made, started: effect.started, cancelsInFlight: cancelInFlight
      ) { [weak sink] in
        sink?.end()
      }
      guard let entry else {
        downstream.on(.completed)
        return Disposables.create()
      }
      sink.hold(
        Disposables.create(source.attach(sink), Disposables.create { scope.leave(entry) }))
      return sink
    }
  }
}

extension Observable {
  /// Returns a stream without elements that ends the streams with an id, see
  /// `cancellable(id:cancelInFlight:)`.
  ///
  /// For streams that `mutate` returns; elsewhere it only completes.
  public static func cancel(id: some Hashable & Sendable) -> Observable<Element> {
    let id = CancellationID(id)
    return Observable { observer in
      EffectContext.current?.cancellations.cancel(id)
      observer.on(.completed)
      return Disposables.create()
    }
  }
}
