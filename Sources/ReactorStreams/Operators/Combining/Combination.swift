/// The ways to set up a ``CombineSink``: two to four streams of different types, or any number of
/// one.
enum Combination {
  static func of<A: Sendable, B: Sendable, Result: Sendable>(
    _ first: Observable<A>, _ second: Observable<B>, keepsLatestOnly: Bool,
    _ selector: @escaping @Sendable (A, B) throws -> Result
  ) -> Observable<Result> {
    Observable { downstream in
      let a = ElementLeg<A>(keepsLatestOnly: keepsLatestOnly)
      let b = ElementLeg<B>(keepsLatestOnly: keepsLatestOnly)
      let sink = CombineSink(downstream, legs: [a, b]) {
        guard let first = a.next, let second = b.next else { return nil }
        return try selector(first, second)
      }
      sink.start(0, first, a)
      sink.start(1, second, b)
      return sink
    }
  }

  static func of<A: Sendable, B: Sendable, C: Sendable, Result: Sendable>(
    _ first: Observable<A>, _ second: Observable<B>, _ third: Observable<C>,
    keepsLatestOnly: Bool,
    _ selector: @escaping @Sendable (A, B, C) throws -> Result
  ) -> Observable<Result> {
    Observable { downstream in
      let a = ElementLeg<A>(keepsLatestOnly: keepsLatestOnly)
      let b = ElementLeg<B>(keepsLatestOnly: keepsLatestOnly)
      let c = ElementLeg<C>(keepsLatestOnly: keepsLatestOnly)
      let sink = CombineSink(downstream, legs: [a, b, c]) {
        guard let first = a.next, let second = b.next, let third = c.next else { return nil }
        return try selector(first, second, third)
      }
      sink.start(0, first, a)
      sink.start(1, second, b)
      sink.start(2, third, c)
      return sink
    }
  }

  static func of<A: Sendable, B: Sendable, C: Sendable, D: Sendable, Result: Sendable>(
    _ first: Observable<A>, _ second: Observable<B>, _ third: Observable<C>,
    _ fourth: Observable<D>, keepsLatestOnly: Bool,
    _ selector: @escaping @Sendable (A, B, C, D) throws -> Result
  ) -> Observable<Result> {
    Observable { downstream in
      let a = ElementLeg<A>(keepsLatestOnly: keepsLatestOnly)
      let b = ElementLeg<B>(keepsLatestOnly: keepsLatestOnly)
      let c = ElementLeg<C>(keepsLatestOnly: keepsLatestOnly)
      let d = ElementLeg<D>(keepsLatestOnly: keepsLatestOnly)
      let sink = CombineSink(downstream, legs: [a, b, c, d]) {
        guard let first = a.next, let second = b.next, let third = c.next, let fourth = d.next
        else { return nil }
        return try selector(first, second, third, fourth)
      }
      sink.start(0, first, a)
      sink.start(1, second, b)
      sink.start(2, third, c)
      sink.start(3, fourth, d)
      return sink
    }
  }

  static func of<A: Sendable, Result: Sendable>(
    _ sources: [Observable<A>], keepsLatestOnly: Bool,
    _ selector: @escaping @Sendable ([A]) throws -> Result
  ) -> Observable<Result> {
    Observable { downstream in
      let legs = sources.map { _ in ElementLeg<A>(keepsLatestOnly: keepsLatestOnly) }
      let sink = CombineSink(downstream, legs: legs) { try selector(legs.compactMap(\.next)) }
      for (index, (source, leg)) in zip(sources, legs).enumerated() {
        sink.start(index, source, leg)
      }
      return sink
    }
  }
}
