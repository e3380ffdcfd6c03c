internal import Synchronization

extension ObservableType {
  /// The one element of this stream.
  ///
  /// It fails with ``RxError/noElements`` where there is none, and with
  /// ``RxError/moreThanOneElement`` after the first where there is a second.
  public func single() -> Observable<Element> {
    single { _ in true }
  }

  /// The one element of this stream for which a closure holds; see ``single()``.
  public func single(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    lift {
      let hasOne = Atomic<Bool>(false)
      return { event, sink in
        switch event {
        case .next(let element):
          do {
            guard try predicate(element) else { return }
          } catch {
            return sink.finish(error)
          }
          if hasOne.exchange(true, ordering: .relaxed) {
            sink.finish(RxError.moreThanOneElement)
          } else {
            sink.forward(element)
          }
        case .error(let error): sink.finish(error)
        case .completed:
          sink.finish(hasOne.load(ordering: .relaxed) ? nil : RxError.noElements)
        }
      }
    }
  }

  /// The element at a place, counted from 0; it fails with ``RxError/argumentOutOfRange`` where the
  /// stream completes before.
  public func element(at index: Int) -> Observable<Element> {
    lift {
      let next = Atomic<Int>(0)
      return { event, sink in
        switch event {
        case .next(let element):
          guard next.add(1, ordering: .relaxed).oldValue == index else { return }
          sink.forward(element)
          sink.finish()
        case .error(let error): sink.finish(error)
        case .completed: sink.finish(RxError.argumentOutOfRange)
        }
      }
    }
  }

  /// Only the end of this stream.
  public func ignoreElements() -> Observable<Never> {
    lift { _, _ in }
  }

  /// This stream, or one element where it completes without any.
  public func ifEmpty(default element: Element) -> Observable<Element> {
    lift {
      let hasAny = Atomic<Bool>(false)
      return { event, sink in
        switch event {
        case .next(let element):
          hasAny.store(true, ordering: .relaxed)
          sink.forward(element)
        case .error(let error): sink.finish(error)
        case .completed:
          if !hasAny.load(ordering: .relaxed) { sink.forward(element) }
          sink.finish()
        }
      }
    }
  }
}
