extension Observable {
  /// Returns a stream of the elements of several streams, one stream after the other.
  ///
  /// Each subscription iterates the sequence. The sequence can be infinite.
  public static func concat(
    _ sources: some Sequence<Observable<Element>> & Sendable
  ) -> Observable<Element> {
    Observable { downstream in
      let sources = IteratorBox(sources)
      guard let first = sources.next() else {
        downstream.on(.completed)
        return Disposables.create()
      }
      return SequentialSink(downstream) { end in
        guard case .completed = end, let next = sources.next() else { return .forward(end) }
        return .attach(next)
      }.attached(to: first)
    }
  }

  /// Returns a stream of the elements of several streams, one stream after the other.
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources)
  }
}

extension ObservableType {
  /// Returns a stream of the elements of this stream, followed by those of another stream.
  public func concat(_ second: some ObservableConvertibleType<Element>) -> Observable<Element> {
    .concat([asObservable(), second.asObservable()])
  }

  /// Returns a stream that first emits the given elements and then those of this stream.
  public func startWith(_ elements: Element...) -> Observable<Element> {
    let source = asObservable()
    return Observable { downstream in
      for element in elements { downstream.on(.next(element)) }
      return source.attach(downstream)
    }
  }
}
