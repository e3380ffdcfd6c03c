internal import Synchronization

extension ObservableType {
  /// The one element of this stream, once it has completed.
  ///
  /// It fails with ``RxError/noElements`` where there is none, and with
  /// ``RxError/moreThanOneElement`` as soon as there is a second.
  public func asSingle() -> Single<Element> {
    Single(
      keeping: lift {
        let held = Mutex<Element?>(nil)
        return { event, sink in
          switch event {
          case .next(let element):
            let isFirst = held.withLock { held in
              guard held == nil else { return false }
              held = element
              return true
            }
            if !isFirst { sink.finish(RxError.moreThanOneElement) }
          case .error(let error): sink.finish(error)
          case .completed:
            guard let element = held.withLock({ $0 }) else {
              return sink.finish(RxError.noElements)
            }
            sink.forward(element)
            sink.finish()
          }
        }
      })
  }

  /// The first element of this stream, or `nil` where it completes without any.
  public func first() -> Single<Element?> {
    Single(keeping: map { $0 }.take(1).ifEmpty(default: nil))
  }

  /// All elements of this stream, once it has completed.
  public func toArray() -> Single<[Element]> {
    Single(
      keeping: lift {
        let all = Mutex<[Element]>([])
        return { event, sink in
          switch event {
          case .next(let element): all.withLock { $0.append(element) }
          case .error(let error): sink.finish(error)
          case .completed:
            sink.forward(all.withLock { $0 })
            sink.finish()
          }
        }
      })
  }
}
