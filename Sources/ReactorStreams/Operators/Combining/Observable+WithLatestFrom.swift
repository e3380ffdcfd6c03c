internal import Synchronization

extension ObservableType {
  /// Each element of this stream together with the latest of another, made one by a closure.
  ///
  /// Elements that come before the other's first are dropped. The other is subscribed to first; its
  /// completion changes nothing, its failure fails this stream.
  public func withLatestFrom<Source: ObservableConvertibleType, Result: Sendable>(
    _ second: Source,
    resultSelector: @escaping @Sendable (Element, Source.Element) throws -> Result
  ) -> Observable<Result> {
    Observable { downstream in
      let sink = SerialSink(downstream)
      let latest = Latest<Source.Element>()
      let both = CompositeDisposable()
      let other = SerialDisposable()
      sink.hold(both)
      both.insert(other)
      other.disposable = second.asObservable().subscribe(
        AnyObserver { event in
          switch event {
          case .next(let element): latest.set(element)
          case .error(let error): sink.on(.error(error))
          case .completed: other.dispose()
          }
        })
      both.insert(
        subscribe(
          AnyObserver { event in
            switch event {
            case .next(let element):
              guard let latest = latest.element else { return }
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

  /// The latest element of another stream, whenever this one emits.
  public func withLatestFrom<Source: ObservableConvertibleType>(
    _ second: Source
  ) -> Observable<Source.Element> {
    withLatestFrom(second) { $1 }
  }
}

/// The element that came last.
private final class Latest<Element: Sendable>: Sendable {
  private let held = Mutex<Element?>(nil)

  var element: Element? {
    held.withLock { $0 }
  }

  func set(_ element: Element) {
    // What is replaced is let go outside of the lock.
    _ = held.withLock { held in
      defer { held = element }
      return held.take()
    }
  }
}
