internal import Synchronization

/// Subscribes to several streams and emits a combination whenever each has an element for it: the
/// latest ones (`combineLatest`), or the ones at the same place (`zip`).
///
/// It completes when all streams have, and when an element comes that nothing can be combined with
/// any more; the first failure fails it.
final class CombineSink<Result: Sendable>: Disposable {
  private enum Item: Sendable {
    case arrived(Int)
    case completed(Int)
    case failed(any Error)
  }

  private let downstream: any ObserverType<Result>
  private let legs: [any CombineLeg]
  private let sources: [SerialDisposable]
  private let combine: @Sendable () throws -> Result?
  private let stopped = Atomic<Bool>(false)
  private let completed = Mutex<Set<Int>>([])
  private let items = SerialQueue<Item>()
  private let context = CurrentSerialContext.gathering

  init(
    _ downstream: any ObserverType<Result>,
    legs: [any CombineLeg],
    combine: @escaping @Sendable () throws -> Result?
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
    guard sources.indices.contains(index) else { return }
    sources[index].disposable = source.subscribe(
      AnyObserver { [self] event in
        guard !stopped.load(ordering: .acquiring) else { return }
        switch event {
        case .next(let element):
          leg.put(element)
          enter(.arrived(index))
        case .error(let error): enter(.failed(error))
        case .completed: enter(.completed(index))
        }
      })
  }

  private func enter(_ item: Item) {
    if let context, !context.isCurrent {
      context.perform { self.items.post(item, handle: self.handle) }
    } else {
      items.post(item, handle: handle)
    }
  }

  func dispose() {
    stopped.store(true, ordering: .releasing)
    for source in sources { source.dispose() }
  }

  private func handle(_ item: Item) {
    guard !stopped.load(ordering: .acquiring) else { return }
    switch item {
    case .arrived(let index):
      legs[index].admit()
      emit(for: index)
    case .completed(let index):
      sources[index].dispose()
      let count = completed.withLock { completed in
        completed.insert(index)
        return completed.count
      }
      if count == legs.count { finish(.completed) }
    case .failed(let error): finish(.error(error))
    }
  }

  private func emit(for index: Int) {
    guard legs.allSatisfy(\.isReady) else {
      let othersCompleted = completed.withLock { $0.union([index]).count == legs.count }
      if othersCompleted { finish(.completed) }
      return
    }
    do {
      if let result = try combine() { downstream.on(.next(result)) }
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
