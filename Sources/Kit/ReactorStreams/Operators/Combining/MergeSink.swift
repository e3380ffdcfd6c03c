internal import Synchronization

// Proof: the properties are constants that are safe to share.
/// Subscribes to an inner stream for each element of an outer stream, and forwards the elements of
/// all inner streams one at a time.
final class MergeSink<Input: Sendable, Output: Sendable>: SourceSink<Input>, ObserverType,
  Disposable,
  @unchecked Sendable
{
  /// The treatment of an outer element that arrives while the limit of inner streams is reached.
  enum Overflow: Sendable { case wait, drop }

  private let context = CurrentSerialContext.value
  private let output: SerialSink<Output>
  private let state = Mutex(MergeState())
  /// The outer elements that wait for an inner stream to complete.
  ///
  /// Elements are added only while `state` is locked.
  private let waiting = Mutex(Fifo<Input>())
  private let limit: Int
  private let overflow: Overflow
  private let transform: @Sendable (Input) throws -> Observable<Output>
  /// Starts limited inner streams one after the other.
  ///
  /// An inner stream that completes while it is being started posts the next one. A long sequence
  /// of these streams is therefore a loop, not a recursion.
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
    upstream.set(source.attach(self, emittingBy: self))
    return output
  }

  /// Adds the elements of a list in place of the elements of an outer stream.
  func attached(to inputs: [Input]) -> any Disposable {
    output.hold(Disposables.create(with: disposeOfSources))
    for input in inputs { admit(input) }
    on(.completed)
    return output
  }

  func dispose() {
    output.dispose()
  }

  override func on(_ event: Event<Input>) {
    switch event {
    case .next(let input): admit(input)
    case .error(let error): output.on(.error(error))
    case .completed:
      upstream.dispose()
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
      if overflow == .wait {
        state.waitingCount += 1
        waiting.withLock { $0.append(input) }
      }
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
    case .elements(let elements): MergedElements(into: self).schedule(elements)
    case .forwarding, .producer:
      let sink = InnerSink<Output>(gatheringIn: output.context) { [self] event, sink in
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
    let next = state.withLock { state in
      if let sink { state.active[ObjectIdentifier(sink)] = nil }
      return state.finishOne()
    }
    sink?.dispose()
    switch next {
    case .none: break
    case .start: startWaiting()
    case .complete: output.on(.completed)
    }
  }

  private func startWaiting() {
    guard let next = waiting.withLock({ $0.popFirst() }) else { return }
    starts.post(next, handle: start)
  }

  private func disposeOfSources() {
    upstream.dispose()
    let active = state.withLock { state in
      defer { state = MergeState(isDisposed: true) }
      return state.active
    }
    // The elements are released outside of the lock.
    _ = waiting.withLock { waiting in
      defer { waiting = Fifo() }
      return waiting
    }
    for sink in active.values { sink.dispose() }
  }

  // Proof: the property is a constant that is safe to share.
  /// Emits the known elements of one inner stream.
  private final class MergedElements: SourceSink<Output>, @unchecked Sendable {
    private let merge: MergeSink

    init(into merge: MergeSink) {
      self.merge = merge
    }

    override var isStopped: Bool {
      merge.output.isStopped
    }

    override func on(_ event: Event<Output>) {
      if event.isStopEvent { merge.finishOne(nil) } else { merge.output.on(event) }
    }
  }
}

// Not generic, so that its accesses need no metadata lookup in unspecialized code.
/// The active and waiting inner streams of a merge.
private struct MergeState {
  /// The reaction to the end of an inner stream.
  enum Next { case none, start, complete }

  var isDisposed = false
  var outerCompleted = false
  var activeCount = 0
  var waitingCount = 0
  var active: [ObjectIdentifier: any Disposable] = [:]

  mutating func finishOne() -> Next {
    if waitingCount > 0 {
      waitingCount -= 1
      return .start
    }
    activeCount -= 1
    return outerCompleted && activeCount == 0 ? .complete : .none
  }
}
