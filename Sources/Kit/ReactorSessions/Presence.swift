/// The subscribers of a session at one moment: the streams of clients that show it.
public struct Presence: Codable, Hashable, Sendable {
  /// A name and its streams.
  public struct Subscriber: Codable, Hashable, Sendable {
    /// The id of the principal; in a service without authentication, the name that the client chose.
    public var name: String

    /// The number of its streams, at least 1.
    public var streams: Int

    /// Creates a subscriber.
    public init(name: String, streams: Int = 1) {
      self.name = name
      self.streams = streams
    }
  }

  /// The number of streams, those without a name included.
  public var count: Int

  /// The subscribers with a name, in the order of the bytes of their names.
  public var subscribers: [Subscriber]

  /// Creates a presence.
  public init(count: Int, subscribers: [Subscriber]) {
    self.count = count
    self.subscribers = subscribers
  }

  /// Creates a presence in which every stream has a name.
  public init(_ subscribers: [Subscriber] = []) {
    self.init(count: subscribers.reduce(0) { $0 + $1.streams }, subscribers: subscribers)
  }

  /// Returns whether a subscriber with a name has a stream of the session.
  public func contains(_ name: String) -> Bool {
    subscribers.contains { $0.name.utf8.elementsEqual(name.utf8) }
  }
}
