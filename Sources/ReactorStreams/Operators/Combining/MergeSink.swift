internal import Synchronization

/// Subscribes to a stream for each element of an outer one and puts the elements of all in one row.
final class MergeSink<Input: Sendable, Output: Sendable>: ObserverType, Disposable {
  /// What becomes of an element that comes while as many streams run as may.
  enum Overflow: Sendable { case wait, drop }

  private struct State {
    var isDisposed = false
    var outerEnded = false
    var active = 0
    var waiting = Fifo<Input>()
    var running: [ObjectIdentifier: InnerSink<Output>] = [:]
  }

  private let context = CurrentSerialContext.value
  private let output: SerialSink<Output>
  private let outer = DisposableSlot()
  private let state = Mutex(State())
  private let limit: Int
  private let overflow: Overflow
  private let transform: @Sendable (Input) throws -> Observable<Output>
  /// Streams that complete at once are walked by a loop, not by nested calls: each completion posts
  /// the next beginning, and the one that runs takes it up when it returns.
  private let beginnings = SerialQueue<Input>()

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

  func run(_ source: some ObservableType<Input>) -> any Disposable {
    output.hold(Disposables.create(with: disposeOfSources))
    outer.set(source.subscribe(self))
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
        state.outerEnded = true
        return state.active == 0
      }
      if isLast { output.on(.completed) }
    }
  }

  private func admit(_ input: Input) {
    let mayBegin = state.withLock { state in
      guard !state.isDisposed else { return false }
      guard state.active >= limit else {
        state.active += 1
        return true
      }
      if overflow == .wait { state.waiting.append(input) }
      return false
    }
    guard mayBegin else { return }
    if limit == .max { begin(input) } else { beginnings.post(input, handle: begin) }
  }

  private func begin(_ input: Input) {
    let inner: Observable<Output>
    do { inner = try transform(input) } catch { return output.on(.error(error)) }
    switch inner.source {
    case .just(let element):
      output.on(.next(element))
      finishOne(nil)
    case .elements(let elements):
      for element in elements { output.on(.next(element)) }
      finishOne(nil)
    case .producer:
      let sink = InnerSink<Output> { [self] event, sink in
        switch event {
        case .next, .error: output.on(event)
        case .completed: finishOne(sink)
        }
      }
      let isDisposed = state.withLock { state in
        if !state.isDisposed { state.running[ObjectIdentifier(sink)] = sink }
        return state.isDisposed
      }
      if !isDisposed { sink.run(inner, in: context) }
    }
  }

  private func finishOne(_ sink: InnerSink<Output>?) {
    let (next, isLast) = state.withLock { state -> (Input?, Bool) in
      if let sink { state.running[ObjectIdentifier(sink)] = nil }
      if let next = state.waiting.popFirst() { return (next, false) }
      state.active -= 1
      return (nil, state.outerEnded && state.active == 0)
    }
    sink?.dispose()
    if let next { beginnings.post(next, handle: begin) }
    if isLast { output.on(.completed) }
  }

  private func disposeOfSources() {
    outer.dispose()
    let held = state.withLock { state in
      defer {
        state.isDisposed = true
        state.running = [:]
        state.waiting = Fifo()
      }
      return state
    }
    for sink in held.running.values { sink.dispose() }
  }
}
