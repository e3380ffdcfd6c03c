internal import ReactorStreams
internal import Synchronization

/// An instance of a reactor that only folds mutations: `reduce` sees what it sees in a live session.
///
/// `currentState` is the previous State, through `transform(state:)`. The instance has no effects: its
/// pipeline is shut down, so it drops an action that `reduce` sends, and a timer that it sets.
///
/// One thread at a time uses it.
@usableFromInline
package struct FoldingInstance<R: Reactor> {
  @usableFromInline let reactor: R
  @usableFromInline let pipeline: Pipeline<R.Action, R.Mutation, R.State>
  @usableFromInline let transformsState: Bool

  /// Creates a folding instance of a new instance.
  ///
  /// - Parameters:
  ///   - reactor: The instance, which nothing else uses.
  ///   - mayTransform: Whether the reactor can override `transform(state:)`.
  @inlinable
  package init(_ reactor: R, mayTransform: Bool = true) {
    self.reactor = reactor
    pipeline = reactor.pipeline
    pipeline.shutDown()
    transformsState = mayTransform && Self.transformsState(reactor)
  }

  @usableFromInline
  static func transformsState(_ reactor: R) -> Bool {
    let source = Observable<R.State>.empty()
    return reactor.transform(state: source) !== source
  }

  /// Folds a mutation into a State, whose `currentState` was the State itself or ``shown(_:)``.
  @inlinable
  package func reduce(_ state: R.State, _ mutation: R.Mutation) -> R.State {
    pipeline.setCurrent(shown(state))
    return reactor.reduce(state: state, mutation: mutation)
  }

  /// Returns the State that clients see: the last one that `transform(state:)` emits synchronously, or
  /// the State itself if it emits none.
  @inlinable
  package func shown(_ state: R.State) -> R.State {
    transformsState ? transformed(state) : state
  }

  @usableFromInline
  func transformed(_ state: R.State) -> R.State {
    let shown = Mutex(state)
    reactor.transform(state: .just(state))
      .subscribe(onNext: { next in shown.withLock { $0 = next } }).dispose()
    return shown.withLock { $0 }
  }

  /// Executes a fold without the request of the thread: the code of a reactor that folds belongs to none.
  package static func withoutRequest<Result>(_ fold: () throws -> Result) rethrows -> Result {
    guard RequestContext.current != nil else { return try fold() }
    return try RequestContext.$current.withValue(nil, operation: fold)
  }
}
