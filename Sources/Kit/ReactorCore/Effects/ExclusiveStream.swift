public import ReactorStreams
internal import Synchronization

/// The stream of a reactor instance that excludes others of its kind while it is running.
///
/// ```swift
/// private let payment = ExclusiveStream()
///
/// case .pay:
///   guard !payment.isRunning else { return .error(Rejection.isBeingPaid) }
///   return payment.track(.concat(.just(.setPaying(true)), bank.charge(…)))
/// ```
///
/// A State such as `isPaying` cannot exclude them: it can be that of an earlier instance, whose streams
/// have ended with its process. An interrupted action runs again in a new instance, in which no stream is
/// running.
///
/// Any thread may use it.
public final class ExclusiveStream: Sendable {
  private struct Numbers {
    var last = 0
    var running: Int?
  }

  private let numbers = Mutex(Numbers())

  /// Creates an object without a running stream.
  public init() {}

  /// Whether a stream is running.
  public var isRunning: Bool { numbers.withLock { $0.running != nil } }

  /// Returns a stream that is running from its subscription until it completes, fails or is
  /// cancelled.
  public func track<Element>(_ stream: Observable<Element>) -> Observable<Element> {
    let number = numbers.withLock { numbers in
      numbers.last += 1
      return numbers.last
    }
    // The end is recorded before it is published. `onDispose` follows, perhaps after the start of
    // another stream.
    let end: @Sendable () -> Void = { [self] in
      numbers.withLock { if $0.running == number { $0.running = nil } }
    }
    return stream.do(
      onError: { _ in end() }, onCompleted: end,
      onSubscribe: { [self] in numbers.withLock { $0.running = number } }, onDispose: end)
  }
}
