internal import Synchronization

/// Subscribes to a stream for each element of an outer one and leaves the one before.
final class SwitchSink<Input: Sendable, Output: Sendable>: ObserverType, Disposable {
  private enum Item: Sendable {
    case outer(Event<Input>)
    case inner(Event<Output>, InnerSink<Output>)
  }

  private struct State {
    var outerEnded = false
    var current: InnerSink<Output>?
  }

  private let context = CurrentSerialContext.value
  private let gathering = CurrentSerialContext.gathering
  private let downstream: any ObserverType<Output>
  private let transform: @Sendable (Input) throws -> Observable<Output>
  private let outer = DisposableSlot()
  private let stopped = Atomic<Bool>(false)
  private let state = Mutex(State())
  /// Outer and inner events are one row, so nothing of a stream that was left can come after.
  private let items = SerialQueue<Item>()

  init(
    _ downstream: any ObserverType<Output>,
    transform: @escaping @Sendable (Input) throws -> Observable<Output>
  ) {
    self.downstream = downstream
    self.transform = transform
  }

  func run(_ source: some ObservableType<Input>) -> any Disposable {
    outer.set(source.subscribe(self))
    return self
  }

  func on(_ event: Event<Input>) {
    enter(.outer(event))
  }

  private func enter(_ item: Item) {
    if let gathering, !gathering.isCurrent {
      gathering.perform { self.items.post(item, handle: self.handle) }
    } else {
      items.post(item, handle: handle)
    }
  }

  func dispose() {
    stopped.store(true, ordering: .releasing)
    outer.dispose()
    state.withLock { $0.current.take() }?.dispose()
  }

  private func handle(_ item: Item) {
    guard !stopped.load(ordering: .acquiring) else { return }
    switch item {
    case .outer(.next(let input)): turn(to: input)
    case .outer(.error(let error)): finish(.error(error))
    case .outer(.completed):
      outer.dispose()
      let isLast = state.withLock { state in
        state.outerEnded = true
        return state.current == nil
      }
      if isLast { finish(.completed) }
    case .inner(let event, let sink):
      guard state.withLock({ $0.current === sink }) else { return }
      switch event {
      case .next: downstream.on(event)
      case .error: finish(event)
      case .completed:
        sink.dispose()
        finishInner()
      }
    }
  }

  private func turn(to input: Input) {
    state.withLock { $0.current.take() }?.dispose()
    let inner: Observable<Output>
    do { inner = try transform(input) } catch { return finish(.error(error)) }
    switch inner.source {
    case .just(let element):
      downstream.on(.next(element))
      finishInner()
    case .elements(let elements):
      for element in elements where !stopped.load(ordering: .acquiring) {
        downstream.on(.next(element))
      }
      finishInner()
    case .producer:
      let sink = InnerSink<Output> { [self] event, sink in
        enter(.inner(event, sink))
      }
      state.withLock { $0.current = sink }
      sink.run(inner, in: context)
      // A disposal may have come before the sink was known.
      if stopped.load(ordering: .acquiring) { dispose() }
    }
  }

  private func finishInner() {
    let (_, isLast) = state.withLock { ($0.current.take(), $0.outerEnded) }
    if isLast { finish(.completed) }
  }

  private func finish(_ end: Event<Output>) {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    downstream.on(end)
    dispose()
  }
}
