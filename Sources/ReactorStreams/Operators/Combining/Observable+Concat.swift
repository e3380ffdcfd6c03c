extension Observable {
  /// The elements of several streams, one stream after the other.
  ///
  /// Each is subscribed to when the one before has completed; a failure ends the row.
  public static func concat(_ sources: [Observable<Element>]) -> Observable<Element> {
    Observable<Observable<Element>>.from(sources).concat()
  }

  /// The elements of several streams, one stream after the other.
  public static func concat(_ sources: Observable<Element>...) -> Observable<Element> {
    concat(sources)
  }
}

extension ObservableType {
  /// This stream's elements, then another's.
  public func concat(_ second: some ObservableConvertibleType<Element>) -> Observable<Element> {
    .concat([asObservable(), second.asObservable()])
  }

  /// Some elements first, then this stream's.
  public func startWith(_ elements: Element...) -> Observable<Element> {
    Observable { downstream in
      for element in elements { downstream.on(.next(element)) }
      return subscribe(downstream)
    }
  }
}
