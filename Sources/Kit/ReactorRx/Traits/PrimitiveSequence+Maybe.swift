public import ReactorStreams

extension PrimitiveSequenceType where Trait: ElementTrait {
  /// Returns a maybe of the element if it satisfies a predicate.
  public func filter(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Maybe<Element> {
    Maybe(raw: asObservable().filter(predicate))
  }

  /// Returns a maybe of the result of a closure for the element if the result is not `nil`.
  public func compactMap<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Maybe<Result> {
    Maybe<Result>(raw: asObservable().compactMap(transform))
  }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
  /// Returns a maybe that continues with the maybe that a closure returns for the element.
  public func flatMapMaybe<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
  ) -> Maybe<Result> {
    Maybe<Result>(raw: asObservable().flatMap { try selector($0).asObservable() })
  }

  /// Returns a completable that continues with the completable that a closure returns for the
  /// element.
  public func flatMapCompletable(
    _ selector: @escaping @Sendable (Element) throws -> Completable
  ) -> Completable {
    Completable(raw: asObservable().flatMap { try selector($0).asObservable() })
  }

  /// Returns this single as a ``Maybe``.
  public func asMaybe() -> Maybe<Element> {
    Maybe(raw: asObservable())
  }

  /// Returns a completable that ends with this single, without its element.
  public func asCompletable() -> Completable {
    Completable(raw: asObservable().ignoreElements())
  }
}

extension ObservableType {
  /// Returns a maybe of the only element of this stream, if it has one, emitted when it completes.
  ///
  /// The maybe fails with `RxError.moreThanOneElement` at the second element.
  public func asMaybe() -> Maybe<Element> {
    Maybe(raw: only {})
  }
}

extension ObservableType where Element == Never {
  /// Returns this stream as a ``Completable``.
  public func asCompletable() -> Completable {
    Completable(raw: asObservable())
  }
}
