extension ObservableType {
  /// Returns this stream's elements until another stream emits.
  ///
  /// The other stream is subscribed to first. Its error fails the result; its completion has no
  /// effect.
  public func take<Other: ObservableConvertibleType>(
    until other: Other
  ) -> Observable<Element> {
    let source = asObservable()
    let other = other.asObservable()
    return Observable { downstream in
      let sink = SerialSink(downstream)
      let both = CompositeDisposable()
      sink.hold(both)
      sink.observe(other, in: both) { _, _ in sink.on(.completed) }
      guard !both.isDisposed else { return sink }
      both.insert(source.attach(sink))
      return sink
    }
  }

  /// Returns this stream's elements after another stream has emitted.
  ///
  /// An error of the other stream fails the result. If the other stream completes without an
  /// element, the result emits no elements.
  public func skip<Other: ObservableConvertibleType>(
    until other: Other
  ) -> Observable<Element> {
    let source = asObservable()
    let other = other.asObservable()
    return Observable { downstream in
      let sink = SerialSink(downstream)
      let both = CompositeDisposable()
      let isOpen = AtomicFlag()
      sink.hold(both)
      both.insert(
        source.attach(
          AnyObserver { event in
            if event.isStopEvent || isOpen.isSet { sink.on(event) }
          }))
      sink.observe(other, in: both) { _, trigger in
        isOpen.set()
        trigger.dispose()
      }
      return sink
    }
  }
}
