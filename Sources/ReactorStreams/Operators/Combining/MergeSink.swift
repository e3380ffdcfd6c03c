internal import Synchronization

/// Subscribes to a stream for each element of an outer one and forwards the elements of all of them,
/// one at a time.
final class MergeSink<Input: Sendable, Output: Sendable>: ObserverType, Disposable {
  /// The treatment of an element that arrives while the limit of inner streams is reached.
  enum Overflow: Sendable { case wait, drop }

  private struct State {
    var isDisposed = false
    var outerCompleted = false
    var activeCount = 0
    var waiting = Fifo<Input>()
    var active: [ObjectIdentifier: InnerSink<Output>] = [:]
  }

  private let context = CurrentSerialContext.value
  private let output: SerialSink<Output>
  private let outer = DisposableSlot()
  private let state = Mutex(State())
  private let limit: Int
  private let overflow: Overflow
  private let transform: @Sendable (Input) throws -> Observable<Output>
  /// Starts limited inner streams one after the other.
  ///
  /// A stream that completes at once posts its successor while it is being started, so a long
  /// sequence of them is a loop, not a recursion.
  private let starts = SerialQueue<Input>()

  init(
    _ downstream: any ObserverType<Output>,
    limit: Int = .max,
    overflow: Overflow = .wait,
    transform: @escaping @Sendable (Input) throws -> Observable<Output>
  ) {
    output = SerialSink(downstream)
    self.limit = limit
    self.overflow = overflow
    self.transform = transform
  }

  /// Subscribes to the outer stream.
  func attached(to source: Observable<Input>) -> any Disposable {
    output.hold(Disposables.create(with: disposeOfSources))
    outer.set(source.attach(self))
    return output
  }

  /// Admits the elements of a list in place of an outer stream's.
  func attached(to inputs: [Input]) -> any Disposable {
    output.hold(Disposables.create(with: disposeOfSources))
    for input in inputs { admit(input) }
    on(.completed)
    return output
  }

  func dispose() {
    output.dispose()
  }

  func on(_ event: Event<Input>) {
    switch event {
    case .next(let input): admit(input)
    case .error(let error): output.on(.error(error))
    case .completed:
      outer.dispose()
      let isLast = state.withLock { state in
        state.outerCompleted = true
        return state.activeCount == 0
      }
      if isLast { output.on(.completed) }
    }
  }

  private func admit(_ input: Input) {
    let mayStart = state.withLock { state in
      guard !state.isDisposed else { return false }
      guard state.activeCount >= limit else {
        state.activeCount += 1
        return true
      }
      if overflow == .wait { state.waiting.append(input) }
      return false
    }
    guard mayStart else { return }
    if limit == .max { start(input) } else { starts.post(input, handle: start) }
  }

  private func start(_ input: Input) {
    let inner: Observable<Output>
    do { inner = try transform(input) } catch { return output.on(.error(error)) }
    switch inner.source {
    case .just(let element):
      output.on(.next(element))
      finishOne(nil)
    case .elements(let elements) where !Trampoline.ofCurrentThread.isRunning:
      for element in elements { output.on(.next(element)) }
      finishOne(nil)
    case .elements, .forwarding, .producer:
      let sink = InnerSink<Output> { [self] event, sink in
        switch event {
        case .next, .error: output.on(event)
        case .completed: finishOne(sink)
        }
      }
      let isDisposed = state.withLock { state in
        if !state.isDisposed { state.active[ObjectIdentifier(sink)] = sink }
        return state.isDisposed
      }
      if !isDisposed { sink.attach(to: inner, in: context) }
    }
  }

  private func finishOne(_ sink: InnerSink<Output>?) {
    let (next, isLast) = state.withLock { state -> (Input?, Bool) in
      if let sink { state.active[ObjectIdentifier(sink)] = nil }
      if let next = state.waiting.popFirst() { return (next, false) }
      state.activeCount -= 1
      return (nil, state.outerCompleted && state.activeCount == 0)
    }
    sink?.dispose()
    if let next { starts.post(next, handle: start) }
    if isLast { output.on(.completed) }
  }

  private func disposeOfSources() {
    outer.dispose()
    let released = state.withLock { state in
      defer {
        state.isDisposed = true
        state.active = [:]
        state.waiting = Fifo()
      }
      return state
    }
    for sink in released.active.values { sink.dispose() }
  }
}
