extension ObservableType {
  /// This stream's elements until another stream emits.
  ///
  /// The other stream is subscribed to first. Its error fails this one; its completion has no
  /// effect.
  public func take<Other: ObservableConvertibleType>(
    until other: Other
  ) -> Observable<Element> {
    let source = asObservable()
    let other = other.asObservable()
    return Observable { downstream in
      let sink = SerialSink(downstream)
      let both = CompositeDisposable()
      let trigger = SerialDisposable()
      sink.hold(both)
      both.insert(trigger)
      trigger.disposable = other.attach(
        AnyObserver { event in
          switch event {
          case .next: sink.on(.completed)
          case .error(let error): sink.on(.error(error))
          case .completed: trigger.dispose()
          }
        })
      guard !both.isDisposed else { return sink }
      both.insert(source.attach(sink))
      return sink
    }
  }

  /// This stream's elements after another stream has emitted.
  ///
  /// The other stream's error fails this one; if it completes without an element, this one emits
  /// nothing.
  public func skip<Other: ObservableConvertibleType>(
    until other: Other
  ) -> Observable<Element> {
    let source = asObservable()
    let other = other.asObservable()
    return Observable { downstream in
      let sink = SerialSink(downstream)
      let both = CompositeDisposable()
      let trigger = SerialDisposable()
      let isOpen = AtomicFlag()
      sink.hold(both)
      both.insert(
        source.attach(
          AnyObserver { event in
            if event.isStopEvent || isOpen.isSet { sink.on(event) }
          }))
      both.insert(trigger)
      trigger.disposable = other.attach(
        AnyObserver { event in
          switch event {
          case .next:
            isOpen.set()
            trigger.dispose()
          case .error(let error): sink.on(.error(error))
          case .completed: trigger.dispose()
          }
        })
      return sink
    }
  }
}
