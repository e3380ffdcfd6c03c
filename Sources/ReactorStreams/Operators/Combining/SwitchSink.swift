internal import Synchronization

/// Subscribes to a stream for each element of an outer one and disposes of the one before.
final class SwitchSink<Input: Sendable, Output: Sendable>: ObserverType, Disposable {
  private enum Item: Sendable {
    case outer(Event<Input>)
    case inner(Event<Output>, InnerSink<Output>)
  }

  private struct State {
    var outerCompleted = false
    var current: InnerSink<Output>?
  }

  private let context = CurrentSerialContext.value
  private let gathering = CurrentSerialContext.gathering
  private let downstream: any ObserverType<Output>
  private let transform: @Sendable (Input) throws -> Observable<Output>
  private let outer = DisposableSlot()
  private let stopped = Atomic<Bool>(false)
  private let state = Mutex(State())
  /// Outer and inner events are handled in one order, so no element of a disposed stream can follow.
  private let items = SerialQueue<Item>()

  init(
    _ downstream: any ObserverType<Output>,
    transform: @escaping @Sendable (Input) throws -> Observable<Output>
  ) {
    self.downstream = downstream
    self.transform = transform
  }

  func attached(to source: Observable<Input>) -> any Disposable {
    outer.set(source.attach(self))
    return self
  }

  func on(_ event: Event<Input>) {
    enqueue(.outer(event))
  }

  private func enqueue(_ item: Item) {
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
    case .outer(.next(let input)): switchTo(input)
    case .outer(.error(let error)): finish(.error(error))
    case .outer(.completed):
      outer.dispose()
      let isLast = state.withLock { state in
        state.outerCompleted = true
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

  private func switchTo(_ input: Input) {
    state.withLock { $0.current.take() }?.dispose()
    let inner: Observable<Output>
    do { inner = try transform(input) } catch { return finish(.error(error)) }
    switch inner.source {
    case .just(let element):
      downstream.on(.next(element))
      finishInner()
    case .elements(let elements) where !Trampoline.ofCurrentThread.isRunning:
      for element in elements where !stopped.load(ordering: .acquiring) {
        downstream.on(.next(element))
      }
      finishInner()
    case .elements, .forwarding, .producer:
      let sink = InnerSink<Output> { [self] event, sink in
        enqueue(.inner(event, sink))
      }
      state.withLock { $0.current = sink }
      sink.attach(to: inner, in: context)
      // A disposal may have preceded the assignment of `current`.
      if stopped.load(ordering: .acquiring) { dispose() }
    }
  }

  private func finishInner() {
    let (_, isLast) = state.withLock { ($0.current.take(), $0.outerCompleted) }
    if isLast { finish(.completed) }
  }

  private func finish(_ end: Event<Output>) {
    guard !stopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    downstream.on(end)
    dispose()
  }
}
