extension ObservableType {
  /// Returns a stream of each element of this stream and the latest element of another stream,
  /// combined by a closure.
  ///
  /// Elements that precede the other stream's first element are dropped. The other stream is
  /// subscribed to first. Its completion has no effect; its error fails the result.
  public func withLatestFrom<Source: ObservableConvertibleType, Result: Sendable>(
    _ second: Source,
    resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
  ) -> Observable<Result> {
    let source = asObservable()
    let second = second.asObservable()
    return Observable { downstream in
      let sink = SerialSink(downstream)
      let latest = Box<Source.Element?>(nil)
      let both = CompositeDisposable()
      sink.hold(both)
      sink.observe(second, in: both) { element, _ in
        _ = latest.withLock { $0.swap(with: element) }
      }
      both.insert(
        source.attach(
          AnyObserver { event in
            switch event {
            case .next(let element):
              guard let latest = latest.value else { return }
              do {
                sink.on(.next(try resultSelector(element, latest)))
              } catch {
                sink.on(.error(error))
              }
            case .error(let error): sink.on(.error(error))
            case .completed: sink.on(.completed)
            }
          }))
      return sink
    }
  }

  /// Returns a stream of the latest element of another stream, whenever this stream emits.
  public func withLatestFrom<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Observable<Source.Element> {
    withLatestFrom(second) { $1 }
  }
}
