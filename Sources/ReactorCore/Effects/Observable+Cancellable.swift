public import ReactorStreams

extension ObservableType {
  /// This stream, which `cancel(id:)` ends under an id of the reactor.
  ///
  /// For what `mutate` returns. A stream that is cancelled completes, so that what follows it in a
  /// `concat` runs. One that was made and waits for its turn is cancelled as well: it completes when
  /// it would begin. The id belongs to the reactor: the same id in another instance is another one.
  /// Where no reactor runs the stream, nothing cancels it.
  ///
  /// ```swift
  /// case .search(let text):
  ///   return api.search(text).map(Mutation.setResults).cancellable(id: "search", cancelInFlight: true)
  /// case .clear:
  ///   return .concat(.cancel(id: "search"), .just(.setResults([])))
  /// ```
  ///
  /// - Parameters:
  ///   - id: What the stream is cancelled by; streams may share one.
  ///   - cancelInFlight: Whether those of the id that were made before end when this one begins.
  /// - Returns: The same elements.
  public func cancellable(
    id: some Hashable & Sendable, cancelInFlight: Bool = false
  ) -> Observable<Element> {
    let id = CancellationID(id)
    let made = CancellationMoment.next()
    return Observable { downstream in
      guard let context = CurrentSerialContext.value as? EffectContext else {
        return subscribe(downstream)
      }
      let scope = context.cancellations
      let sink = SerialSink(downstream)
      let entry = scope.enter(
        id, made: made, started: context.started, cancelsInFlight: cancelInFlight
      ) { [weak sink] in
        sink?.on(.completed)
      }
      guard let entry else {
        downstream.on(.completed)
        return Disposables.create()
      }
      sink.hold(
        Disposables.create(subscribe(sink), Disposables.create { scope.leave(entry) }))
      return sink
    }
  }
}

extension Observable {
  /// A stream without elements that ends what runs under an id of the reactor, see
  /// `cancellable(id:cancelInFlight:)`.
  ///
  /// For what `mutate` returns. It completes when those have been told, and does no more than that
  /// where no reactor runs it.
  public static func cancel(id: some Hashable & Sendable) -> Observable<Element> {
    let id = CancellationID(id)
    return Observable { observer in
      (CurrentSerialContext.value as? EffectContext)?.cancellations.cancel(id)
      observer.on(.completed)
      return Disposables.create()
    }
  }
}
