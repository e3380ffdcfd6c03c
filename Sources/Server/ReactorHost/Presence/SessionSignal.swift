internal import ReactorLog
internal import Synchronization

/// A message to the subscribers of a session, which is published and not stored.
public struct SessionSignal: Sendable {
  /// The id of the sender's principal, or the name that it chose, or `nil` for an anonymous sender.
  public let sender: String?

  /// The content, as JSON without line breaks.
  public let json: [UInt8]

  /// Creates a signal.
  public init(_ json: [UInt8], from sender: String?) {
    self.json = json
    self.sender = sender
  }
}

/// Observes the signals of a session.
public protocol SignalObserver: AnyObject, Sendable {
  /// A signal was published.
  ///
  /// Called on the thread of the request, concurrently for concurrent requests; it must not block.
  /// The signals of consecutive requests arrive in order.
  func didReceive(_ signal: SessionSignal)
}

/// The observers of a session's signals.
///
/// Signals bypass the session's queue, so that they neither wait for actions nor delay them.
struct SignalObservers: ~Copyable, Sendable {
  private let observers = Mutex<[any SignalObserver]>([])

  func add(_ observer: any SignalObserver) {
    observers.withLock { $0.append(observer) }
  }

  func remove(_ observer: any SignalObserver) {
    observers.withLock { $0.removeAll { $0 === observer } }
  }

  /// Notifies the observers, on this thread.
  func publish(_ signal: SessionSignal) {
    for observer in observers.withLock({ $0 }) { observer.didReceive(signal) }
  }
}
