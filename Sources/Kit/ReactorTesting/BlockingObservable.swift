internal import Dispatch
public import ReactorStreams
internal import Synchronization

extension ObservableConvertibleType {
  /// Returns blocking accessors of this stream, for tests.
  ///
  /// - Parameter timeout: The maximum time to wait, or `nil` for no limit.
  /// - Returns: The accessors. Each access subscribes to the stream and blocks until the result is
  ///   available.
  public func toBlocking(timeout: Duration? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }
}

/// Blocks the calling thread until a stream emits.
///
/// The names are those of RxBlocking. Use it in tests without `async`. The stream must not depend
/// on the calling thread, which is blocked.
public struct BlockingObservable<Element: Sendable>: Sendable {
  let source: Observable<Element>
  let timeout: Duration?

  /// Returns the elements of the stream.
  ///
  /// - Throws: The stream's error, or `RxError.timeout`.
  public func toArray() throws -> [Element] {
    try wait(for: source).elements
  }

  /// Returns the first element of the stream, or `nil` if it is empty.
  ///
  /// - Throws: The stream's error, or `RxError.timeout`.
  public func first() throws -> Element? {
    try wait(for: source.take(1)).elements.first
  }

  /// Returns the last element of the stream, or `nil` if it is empty.
  ///
  /// - Throws: The stream's error, or `RxError.timeout`.
  public func last() throws -> Element? {
    try wait(for: source).elements.last
  }

  /// Returns the only element of the stream.
  ///
  /// - Throws: The stream's error, `RxError.timeout`, `RxError.noElements`, or
  ///   `RxError.moreThanOneElement`.
  public func single() throws -> Element {
    try single { _ in true }
  }

  /// Returns the only element of the stream that satisfies a predicate.
  ///
  /// - Throws: The error of the stream or the predicate, `RxError.timeout`, `RxError.noElements`, or
  ///   `RxError.moreThanOneElement`.
  public func single(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) throws -> Element {
    let elements = try wait(for: source.single(predicate)).elements
    guard let element = elements.first else { throw RxError.noElements }
    return element
  }

  /// Returns the elements of the stream and the way it ended.
  public func materialize() -> MaterializedSequenceResult<Element> {
    wait(for: source)
  }

  private func wait(for stream: Observable<Element>) -> MaterializedSequenceResult<Element> {
    let recording = Recording<Element>()
    let hasEnded = DispatchSemaphore(value: 0)
    let subscription = stream.subscribe(
      onNext: { element in recording.contents.withLock { $0.elements.append(element) } },
      onError: { error in recording.contents.withLock { $0.error = error } },
      onDisposed: { hasEnded.signal() })
    defer { subscription.dispose() }
    let isInTime = hasEnded.wait(timeout: deadline) == .success
    let (elements, error) = recording.contents.withLock { $0 }
    guard isInTime else { return .failed(elements: elements, error: RxError.timeout) }
    return error.map { .failed(elements: elements, error: $0) } ?? .completed(elements: elements)
  }

  private var deadline: DispatchTime {
    guard let timeout else { return .distantFuture }
    let (seconds, attoseconds) = timeout.components
    return .now() + .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}

/// The elements of a stream and the way it ended.
public enum MaterializedSequenceResult<Element: Sendable>: Sendable {
  /// The stream completed.
  case completed(elements: [Element])

  /// The stream failed, or did not end in time.
  case failed(elements: [Element], error: any Error)

  fileprivate var elements: [Element] {
    get throws {
      switch self {
      case .completed(let elements): return elements
      case .failed(_, let error): throw error
      }
    }
  }
}

/// The events of one subscription.
private final class Recording<Element: Sendable>: Sendable {
  let contents = Mutex<(elements: [Element], error: (any Error)?)>(([], nil))
}
