internal import ReactorTransport

/// The events of one client's stream of a session or global: a subscription, or several one after the other.
protocol StreamFeed: AnyObject, Sendable {
  /// The groups that are woken when output can be available; the same ones while the stream is open.
  var groups: [StreamGroup] { get }

  /// Returns the next output and advances the position.
  func next() -> EventSubscription.Next

  /// The bytes that are retained for the client alone while it reads nothing.
  var retainedBytes: Int { get }

  /// Releases everything when the stream is closed.
  func close()
}
