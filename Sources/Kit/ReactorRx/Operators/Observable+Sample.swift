public import ReactorStreams

extension ObservableType {
  /// Returns a stream of the latest element of this stream, whenever another stream emits or
  /// completes.
  ///
  /// Each element is emitted at most once. The result completes with the first sample after this
  /// stream has completed.
  ///
  /// - Parameters:
  ///   - sampler: The stream that triggers samples.
  ///   - defaultValue: The element to emit if no element has arrived since the last sample; `nil`
  ///     emits nothing.
  /// - Returns: The stream of samples.
  public func sample<Sampler: ObservableConvertibleType>(
    _ sampler: Sampler, defaultValue: Element? = nil
  ) -> Observable<Element> {
    let source = asObservable()
    let sampler = sampler.asObservable()
    return Observable { downstream in
      let sink = SerialSink(downstream)
      let both = CompositeDisposable()
      let latest = Box<Element?>(nil)
      let hasCompleted = AtomicFlag()
      sink.hold(both)
      sink.observe(source, in: both, onCompleted: { hasCompleted.set() }) { element, _ in
        _ = latest.withLock { $0.swap(with: element) }
      }
      both.insert(
        sampler.attach(
          AnyObserver { event in
            if case .error(let error) = event { return sink.on(.error(error)) }
            if let element = latest.withLock({ $0.take() }) ?? defaultValue {
              sink.on(.next(element))
            }
            if hasCompleted.isSet { sink.on(.completed) }
          }))
      return sink
    }
  }
}
