extension ObservableType {
  /// This stream's elements until another stream emits.
  ///
  /// The other stream's failure fails this one; its completion changes nothing. It is subscribed to
  /// first.
  public func take<Other: Sendable>(
    until other: some ObservableType<Other>
  ) -> Observable<Element> {
    Observable { downstream in
      let sink = SerialSink(downstream)
      let both = CompositeDisposable()
      sink.hold(both)
      both.insert(
        other.subscribe(
          AnyObserver { event in
            switch event {
            case .next: sink.on(.completed)
            case .error(let error): sink.on(.error(error))
            case .completed: break
            }
          }))
      guard !both.isDisposed else { return sink }
      both.insert(subscribe(sink))
      return sink
    }
  }
}
