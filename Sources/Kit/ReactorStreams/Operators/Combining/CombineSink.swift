internal import Synchronization

/// Subscribes to several streams and emits a combination whenever each stream has an element for
/// it: the latest elements (`combineLatest`), or the elements at the same position (`zip`).
///
/// The result completes when all streams have completed. It also completes when an element arrives
/// that cannot be combined, because a stream has no element and all streams except that of the
/// element have completed. The first error fails it.
final class CombineSink<Result: Sendable>: Disposable {
  private let downstream: any ObserverType<Result>
  private let legs: [any CombineLeg]
  private let sources: [SerialDisposable]
  private let combine: @Sendable () throws -> Result
  private let stopped = Atomic<Bool>(false)
  private let completed = Mutex<Set<Int>>([])
  private let turns = SerialTurns()

  init(
    _ downstream: any ObserverType<Result>,
    legs: [any CombineLeg],
    combine: @escaping @Sendable () throws -> Result
  ) {
    self.downstream = downstream
    self.legs = legs
    self.combine = combine
    sources = legs.map { _ in SerialDisposable() }
  }

  /// Subscribes to the stream of a leg.
  func start<Element: Sendable>(
    _ index: Int, _ source: Observable<Element>, _ leg: ElementLeg<Element>
  ) {
    guard !stopped.load(ordering: .acquiring) else { return }
    let inner = InnerSink<Element>(gatheringIn: turns.context) { [self] event, _ in
      guard !stopped.load(ordering: .acquiring) else { return }
      if !turns.handleIfFree({ handle(event, of: leg, at: index) }) {
        turns.enqueue { self.handle(event, of: leg, at: index) }
      }
    }
    sources[index].disposable = inner
    inner.attach(to: source, in: nil)
  }

  func dispose() {
    stopped.store(true, ordering: .releasing)
    for source in sources { source.dispose() }
  }

  private func handle<Element: Sendable>(
    _ event: Event<Element>, of leg: ElementLeg<Element>, at index: Int
  ) {
    guard !stopped.load(ordering: .acquiring) else { return }
    switch event {
    case .next(let element):
      leg.admit(element)
      emit(for: index)
    case .completed:
      sources[index].dispose()
      let count = completed.withLock { completed in
        completed.insert(index)
        return completed.count
      }
      if count == legs.count { finish(.completed) }
    case .error(let error): finish(.error(error))
    }
  }

  private func emit(for index: Int) {
    guard legs.allSatisfy(\.isReady) else {
      let othersCompleted = completed.withLock { $0.union([index]).count == legs.count }
      if othersCompleted { finish(.completed) }
      return
    }
    do {
      downstream.on(.next(try combine()))
    } catch {
      finish(.error(error))
    }
  }

  private func finish(_ end: Event<Result>) {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    downstream.on(end)
    dispose()
  }
}

/// One of the streams that are combined, without its element type.
protocol CombineLeg: Sendable {
  /// Whether this stream has an element for the next combination.
  var isReady: Bool { get }
}

/// The elements of one of the streams that are combined.
final class ElementLeg<Element: Sendable>: CombineLeg {
  private let elements = Mutex(Fifo<Element>())
  private let keepsLatestOnly: Bool

  init(of _: Observable<Element>, keepsLatestOnly: Bool) {
    self.keepsLatestOnly = keepsLatestOnly
  }

  var isReady: Bool {
    elements.withLock { !$0.isEmpty }
  }

  /// Returns the next element.
  ///
  /// The latest element remains stored (`combineLatest`); the oldest element is removed (`zip`).
  func next() throws -> Element {
    let element = elements.withLock { keepsLatestOnly ? $0.last : $0.popFirst() }
    guard let element else { throw RxError.noElements }
    return element
  }

  /// Adds an element for the next combination.
  func admit(_ element: Element) {
    // A previous element is released outside of the lock.
    _ = elements.withLock { elements -> Element? in
      defer { elements.append(element) }
      return keepsLatestOnly ? elements.popFirst() : nil
    }
  }
}

extension CombineSink {
  /// Returns a stream that combines streams of different types.
  static func combining<each Element: Sendable>(
    _ sources: (repeat Observable<each Element>), keepsLatestOnly: Bool,
    _ selector: @escaping @Sendable (repeat each Element) throws -> Result
  ) -> Observable<Result> {
    Observable { downstream in
      let legs = (repeat ElementLeg(of: each sources, keepsLatestOnly: keepsLatestOnly))
      var allLegs: [any CombineLeg] = []
      repeat allLegs.append(each legs)
      guard !allLegs.isEmpty else {
        downstream.on(.completed)
        return Disposables.create()
      }
      let sink = CombineSink(downstream, legs: allLegs) {
        try selector(repeat try (each legs).next())
      }
      var index = 0
      func start<Source: Sendable>(_ source: Observable<Source>, _ leg: ElementLeg<Source>) {
        sink.start(index, source, leg)
        index += 1
      }
      repeat start(each sources, each legs)
      return sink
    }
  }

  /// Returns a stream that combines any number of streams of one type.
  static func combining<Element: Sendable>(
    _ sources: [Observable<Element>], keepsLatestOnly: Bool,
    _ selector: @escaping @Sendable ([Element]) throws -> Result
  ) -> Observable<Result> {
    Observable { downstream in
      let legs = sources.map { ElementLeg(of: $0, keepsLatestOnly: keepsLatestOnly) }
      let sink = CombineSink(downstream, legs: legs) { try selector(legs.map { try $0.next() }) }
      for (index, (source, leg)) in zip(sources, legs).enumerated() {
        sink.start(index, source, leg)
      }
      return sink
    }
  }
}
