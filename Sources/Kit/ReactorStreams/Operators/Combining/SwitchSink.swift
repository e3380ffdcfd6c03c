internal import Synchronization

// Proof: the properties are constants that are safe to share.
/// Subscribes to an inner stream for each element of an outer stream, and disposes of the previous
/// inner stream.
final class SwitchSink<Input: Sendable, Output: Sendable>: SourceSink<Input>, ObserverType,
  Disposable,
  @unchecked Sendable
{
  private let context = CurrentSerialContext.value
  private let downstream: any ObserverType<Output>
  private let transform: @Sendable (Input) throws -> Observable<Output>
  private let stopped = Atomic<Bool>(false)
  private let state = Mutex(SwitchState())
  /// Outer and inner events are handled one at a time, so that no element of a previous inner
  /// stream follows its disposal.
  private let turns = SerialTurns()

  init(
    _ downstream: any ObserverType<Output>,
    transform: @escaping @Sendable (Input) throws -> Observable<Output>
  ) {
    self.downstream = downstream
    self.transform = transform
  }

  func attached(to source: Observable<Input>) -> any Disposable {
    upstream.set(source.attach(self, emittingBy: self))
    return self
  }

  override var isStopped: Bool {
    stopped.load(ordering: .acquiring)
  }

  override func on(_ event: Event<Input>) {
    if !turns.handleIfFree({ handle(event) }) { turns.enqueue { self.handle(event) } }
  }

  func dispose() {
    stopped.store(true, ordering: .releasing)
    upstream.dispose()
    state.withLock { $0.current.take() }?.dispose()
  }

  private func handle(_ event: Event<Input>) {
    guard !stopped.load(ordering: .acquiring) else { return }
    switch event {
    case .next(let input): switchTo(input)
    case .error(let error): finish(.error(error))
    case .completed:
      upstream.dispose()
      let isLast = state.withLock { state in
        state.outerCompleted = true
        return state.current == nil
      }
      if isLast { finish(.completed) }
    }
  }

  private func handle(_ event: Event<Output>, of sink: InnerSink<Output>) {
    guard !stopped.load(ordering: .acquiring), state.withLock({ $0.current === sink }) else {
      return
    }
    switch event {
    case .next: downstream.on(event)
    case .error: finish(event)
    case .completed:
      sink.dispose()
      finishInner()
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
      let sink = InnerSink<Output>(gatheringIn: turns.context) { [self] event, sink in
        if !turns.handleIfFree({ handle(event, of: sink) }) {
          turns.enqueue { self.handle(event, of: sink) }
        }
      }
      state.withLock { $0.current = sink }
      sink.attach(to: inner, in: context)
      // A disposal can have preceded the assignment of `current`.
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

// Not generic, so that its accesses need no metadata lookup in unspecialized code.
/// The inner stream of a switch.
private struct SwitchState {
  var outerCompleted = false
  var current: (any Disposable & AnyObject)?
}
