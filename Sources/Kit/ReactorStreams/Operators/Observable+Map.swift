extension ObservableType {
  /// Returns a stream of each element transformed by a closure.
  ///
  /// An error that the closure throws fails it.
  @inlinable
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Observable<Result> {
    lift { element, sink in sink.forward(try transform(element)) }
  }

  /// Returns a stream of the results of a closure for each element, without `nil`.
  @inlinable
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Observable<Result> {
    lift { element, sink in
      if let result = try transform(element) { sink.forward(result) }
    }
  }

  /// Returns a stream of the elements that satisfy a predicate.
  @inlinable
  public func filter(
    _ isIncluded: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    lift { element, sink in
      if try isIncluded(element) { sink.forward(element) }
    }
  }

  /// Returns a stream of this stream's events as elements.
  ///
  /// It completes after the stop event and never fails.
  public func materialize() -> Observable<Event<Element>> {
    lift {
      { event, sink in
        sink.forward(event)
        if event.isStopEvent { sink.finish() }
      }
    }
  }

  /// Returns a stream of each element together with an object that the stream does not retain.
  ///
  /// The stream completes at the first element after the object is deallocated.
  public func withUnretained<Owner: AnyObject & Sendable, Result: Sendable>(
    _ object: Owner,
    resultSelector: @escaping @Sendable (Owner, Element) -> Result
  ) -> Observable<Result> {
    lift { [weak object] element, sink in
      guard let object else { return sink.finish() }
      sink.forward(resultSelector(object, element))
    }
  }

  /// Returns a stream of each element together with an object that the stream does not retain.
  ///
  /// The stream completes at the first element after the object is deallocated.
  public func withUnretained<Owner: AnyObject & Sendable>(
    _ object: Owner
  ) -> Observable<(Owner, Element)> {
    withUnretained(object) { ($0, $1) }
  }
}

extension ObservableType where Element: EventConvertible {
  /// Returns a stream whose events are the elements of this stream; the inverse of `materialize()`.
  public func dematerialize() -> Observable<Element.Element> {
    lift { element, sink in
      switch element.event {
      case .next(let element): sink.forward(element)
      case .error(let error): sink.finish(error)
      case .completed: sink.finish()
      }
    }
  }
}
