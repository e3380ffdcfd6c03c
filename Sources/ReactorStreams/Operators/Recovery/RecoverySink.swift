internal import Synchronization

/// Runs a stream, and where it fails, whatever its policy says comes next, for as long as it says.
///
/// Streams that fail at once are walked by a loop, not by nested calls.
final class RecoverySink<Element: Sendable>: Disposable {
  /// What follows a failure.
  enum Next: Sendable {
    case run(Observable<Element>)
    case fail(any Error)
  }

  private let context = CurrentSerialContext.value
  private let output: SerialSink<Element>
  private let current = SerialDisposable()
  private let attempts = SerialQueue<Observable<Element>>()
  private let recover: @Sendable (any Error) -> Next

  init(
    _ downstream: any ObserverType<Element>,
    recover: @escaping @Sendable (any Error) -> Next
  ) {
    output = SerialSink(downstream)
    self.recover = recover
    output.hold(current)
  }

  func run(_ source: Observable<Element>) -> any Disposable {
    attempts.post(source, handle: attempt)
    return output
  }

  func dispose() {
    output.dispose()
  }

  private func attempt(_ source: Observable<Element>) {
    guard !current.isDisposed else { return }
    let inner = InnerSink<Element> { [self] event, inner in
      guard case .error(let error) = event else { return output.on(event) }
      inner.dispose()
      switch recover(error) {
      case .run(let next): attempts.post(next, handle: attempt)
      case .fail(let error): output.on(.error(error))
      }
    }
    current.disposable = inner
    inner.run(source, in: context)
  }
}
