/// The trait of a sequence that can emit an element: a ``Single``, or a `Maybe` of `ReactorRx`.
public protocol ElementTrait {}

extension PrimitiveSequenceType where Trait: ElementTrait {
  /// Returns a sequence of one element.
  public static func just(_ element: Element) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .just(element))
  }

  /// Returns a sequence of one element that a scheduler emits.
  public static func just(
    _ element: Element, scheduler: any SchedulerType
  ) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: .just(element, scheduler: scheduler))
  }

  /// Returns a sequence of the element transformed by a closure.
  ///
  /// An error that the closure throws fails it.
  public func map<Result: Sendable>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> PrimitiveSequence<Trait, Result> {
    PrimitiveSequence<Trait, Result>(raw: asObservable().map(transform))
  }

  /// Returns a sequence that continues with the sequence that a closure returns for the element.
  public func flatMap<Result: Sendable>(
    _ selector: @escaping @Sendable (Element) throws -> PrimitiveSequence<Trait, Result>
  ) -> PrimitiveSequence<Trait, Result> {
    PrimitiveSequence<Trait, Result>(
      raw: asObservable().flatMap { try selector($0).asObservable() })
  }

  /// Returns this sequence with an error replaced by an element.
  public func catchAndReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
    PrimitiveSequence(raw: asObservable().catchAndReturn(element))
  }

  /// RxSwift 5's name of `catchAndReturn(_:)`.
  public func catchErrorJustReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
    catchAndReturn(element)
  }
}

extension PrimitiveSequence where Trait: ElementTrait {
  /// Returns a sequence of the elements of several sequences, combined by a closure.
  ///
  /// An error that the closure throws fails it.
  public static func zip<each Source: Sendable>(
    _ source: repeat PrimitiveSequence<Trait, each Source>,
    resultSelector: @escaping @Sendable (repeat each Source) throws -> Element
  ) -> PrimitiveSequence<Trait, Element> {
    Self(raw: .zip(repeat each source, resultSelector: resultSelector))
  }
}

extension PrimitiveSequence where Trait: ElementTrait, Element == any Sendable {
  /// Returns a sequence of the elements of several sequences, as a tuple.
  public static func zip<each Source: Sendable>(
    _ source: repeat PrimitiveSequence<Trait, each Source>
  ) -> PrimitiveSequence<Trait, (repeat each Source)> {
    PrimitiveSequence<Trait, (repeat each Source)>(
      raw: Observable<any Sendable>.zip(repeat each source))
  }
}
