internal import Synchronization

extension ObservableType {
  /// This stream's elements but the first ones.
  ///
  /// - Parameter count: How many are left out; a number below 1 means none.
  /// - Returns: The rest of the stream.
  public func skip(_ count: Int) -> Observable<Element> {
    lift {
      let skipped = Atomic<Int>(0)
      return { event, sink in
        switch event {
        case .next(let element):
          if skipped.load(ordering: .relaxed) >= count { return sink.forward(element) }
          skipped.add(1, ordering: .relaxed)
        case .error(let error): sink.finish(error)
        case .completed: sink.finish()
        }
      }
    }
  }

  /// This stream's elements from the first for which a closure does not hold.
  public func skip(
    while predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    lift {
      let isOpen = Atomic<Bool>(false)
      return { event, sink in
        switch event {
        case .next(let element):
          if !isOpen.load(ordering: .relaxed) {
            do {
              guard try !predicate(element) else { return }
            } catch {
              return sink.finish(error)
            }
            isOpen.store(true, ordering: .relaxed)
          }
          sink.forward(element)
        case .error(let error): sink.finish(error)
        case .completed: sink.finish()
        }
      }
    }
  }

  /// This stream's elements after another stream has emitted.
  ///
  /// The other stream's failure fails this one; where it completes without an element, nothing is
  /// emitted.
  public func skip<Other: Sendable>(
    until other: some ObservableType<Other>
  ) -> Observable<Element> {
    Observable { downstream in
      let sink = SerialSink(downstream)
      let both = CompositeDisposable()
      let trigger = SerialDisposable()
      let isOpen = AtomicFlag()
      sink.hold(both)
      both.insert(
        subscribe(
          AnyObserver { event in
            if event.isStopEvent || isOpen.isSet { sink.on(event) }
          }))
      both.insert(trigger)
      trigger.disposable = other.subscribe(
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
