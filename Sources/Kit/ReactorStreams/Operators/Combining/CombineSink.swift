public import Synchronization

/// Subscribes to several streams and emits a combination whenever each stream has an element for
/// it: the latest elements (`combineLatest`), or the elements at the same position (`zip`).
///
/// The result completes when all streams have completed. It also completes when an element arrives
/// that cannot be combined, because a stream has no element and all streams except that of the
/// element have completed. The first error fails it.
///
/// The closures that store and combine elements are inlinable, so that the module that contains the chain
/// specializes them.
@usableFromInline
final class CombineSink<Result: Sendable>: Disposable {
  private let downstream: any ObserverType<Result>
  private let unready: UnreadyCount
  private let sources: [SerialDisposable]
  private let combine: @Sendable () throws -> Result
  private let stopped = Atomic<Bool>(false)
  private let completed = Mutex<Set<Int>>([])
  private let turns = SerialTurns()

  @usableFromInline
  init(
    _ downstream: any ObserverType<Result>, count: Int, unready: UnreadyCount,
    combine: @escaping @Sendable () throws -> Result
  ) {
    self.downstream = downstream
    self.unready = unready
    self.combine = combine
    sources = (0..<count).map { _ in SerialDisposable() }
  }

  /// Subscribes to a stream.
  ///
  /// - Parameters:
  ///   - index: The position of the stream.
  ///   - source: The stream.
  ///   - admit: Stores an element for the next combination.
  @usableFromInline
  func start<Element: Sendable>(
    _ index: Int, _ source: Observable<Element>, admit: @escaping @Sendable (Element) -> Void
  ) {
    guard !stopped.load(ordering: .acquiring) else { return }
    let inner = InnerSink<Element>(gatheringIn: turns.context) { [self] event, _ in
      guard !stopped.load(ordering: .acquiring) else { return }
      if !turns.handleIfFree({ handle(event, at: index, admit) }) {
        turns.enqueue { self.handle(event, at: index, admit) }
      }
    }
    sources[index].disposable = inner
    inner.attach(to: source, in: nil)
  }

  @usableFromInline
  func dispose() {
    stopped.store(true, ordering: .releasing)
    for source in sources { source.dispose() }
  }

  private func handle<Element: Sendable>(
    _ event: Event<Element>, at index: Int, _ admit: (Element) -> Void
  ) {
    guard !stopped.load(ordering: .acquiring) else { return }
    switch event {
    case .next(let element):
      admit(element)
      if unready.isZero { emit() } else { completeIfLast(index) }
    case .completed:
      sources[index].dispose()
      let count = completed.withLock { completed in
        completed.insert(index)
        return completed.count
      }
      if count == sources.count { finish(.completed) }
    case .error(let error): finish(.error(error))
    }
  }

  private func emit() {
    do {
      downstream.on(.next(try combine()))
    } catch {
      finish(.error(error))
    }
  }

  /// Completes if an element cannot be combined, because all other streams have completed.
  private func completeIfLast(_ index: Int) {
    let othersCompleted = completed.withLock { completed in
      !completed.isEmpty && completed.union([index]).count == sources.count
    }
    if othersCompleted { finish(.completed) }
  }

  private func finish(_ end: Event<Result>) {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    downstream.on(end)
    dispose()
  }
}

/// The number of streams without an element for the next combination.
///
/// Only the turns of a sink access it; it is atomic, so that the sink can be shared.
@usableFromInline
final class UnreadyCount: Sendable {
  @usableFromInline let count: Atomic<Int>

  @usableFromInline
  init(_ count: Int) {
    self.count = Atomic(count)
  }

  var isZero: Bool {
    count.load(ordering: .relaxed) == 0
  }

  @inlinable
  func add(_ difference: Int) {
    count.store(count.load(ordering: .relaxed) + difference, ordering: .relaxed)
  }
}

// Proof: only the turns of the sink access the elements: one at a time, and each sees the writes of the
// one before.
/// The elements of one of the streams that are combined.
@usableFromInline
final class ElementLeg<Element: Sendable>: @unchecked Sendable {
  @usableFromInline let unready: UnreadyCount
  @usableFromInline let keepsLatestOnly: Bool

  // Unchecked exclusivity: each access is a load or a store.
  /// The element for the next combination.
  @safe @exclusivity(unchecked) @usableFromInline var first: Element?
  /// The elements after it, of a stream that is ahead of the others.
  @usableFromInline var others = Fifo<Element>()

  @usableFromInline
  init(of _: Observable<Element>, _ unready: UnreadyCount, keepsLatestOnly: Bool) {
    self.unready = unready
    self.keepsLatestOnly = keepsLatestOnly
  }

  /// Returns the next element.
  ///
  /// The latest element remains stored (`combineLatest`); the oldest element is removed (`zip`).
  @inlinable
  func next() throws -> Element {
    guard let element = first else { throw RxError.noElements }
    if !keepsLatestOnly {
      first = others.popFirst()
      if first == nil { unready.add(1) }
    }
    return element
  }

  /// Adds an element for the next combination.
  @inlinable
  func admit(_ element: Element) {
    if first == nil {
      unready.add(-1)
    } else if !keepsLatestOnly {
      return others.append(element)
    }
    first = element
  }
}

extension CombineSink {
  /// Returns a stream that combines streams of different types.
  @inlinable
  static func combining<each Element: Sendable>(
    _ sources: (repeat Observable<each Element>), keepsLatestOnly: Bool,
    _ selector: @escaping @Sendable (repeat each Element) throws -> Result
  ) -> Observable<Result> {
    Observable { downstream in
      var count = 0
      for _ in repeat each sources { count += 1 }
      guard count > 0 else {
        downstream.on(.completed)
        return Disposables.create()
      }
      let unready = UnreadyCount(count)
      let legs =
        (repeat ElementLeg(of: each sources, unready, keepsLatestOnly: keepsLatestOnly))
      let sink = CombineSink(downstream, count: count, unready: unready) {
        try selector(repeat try (each legs).next())
      }
      var index = 0
      func start<Source: Sendable>(_ source: Observable<Source>, _ leg: ElementLeg<Source>) {
        sink.start(index, source) { leg.admit($0) }
        index += 1
      }
      repeat start(each sources, each legs)
      return sink
    }
  }

  /// Returns a stream that combines any number of streams of one type.
  @inlinable
  static func combining<Element: Sendable>(
    _ sources: [Observable<Element>], keepsLatestOnly: Bool,
    _ selector: @escaping @Sendable ([Element]) throws -> Result
  ) -> Observable<Result> {
    Observable { downstream in
      let unready = UnreadyCount(sources.count)
      let legs = sources.map { ElementLeg(of: $0, unready, keepsLatestOnly: keepsLatestOnly) }
      let sink = CombineSink(downstream, count: legs.count, unready: unready) {
        try selector(legs.map { try $0.next() })
      }
      for (index, (source, leg)) in zip(sources, legs).enumerated() {
        sink.start(index, source) { leg.admit($0) }
      }
      return sink
    }
  }
}
