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

/// The owner of a stream.
public struct StreamOwner: Hashable, Sendable {
  /// An owner without a name.
  public static let anonymous = StreamOwner(nil)

  /// The name in UTF-8, compared byte by byte; `nil` for none.
  let name: [UInt8]?

  /// Creates an owner.
  ///
  /// - Parameter name: The id of its principal, or the name that it chose; `nil` for none.
  public init(_ name: String?) {
    self.name = name.map { Array($0.utf8) }
  }

  /// The name; `nil` for none.
  package var text: String? {
    name.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A presence and its position among those of its session.
public struct PresenceUpdate: Sendable {
  /// The subscribers.
  public let presence: Presence

  /// The number of changes that the presence contains.
  public let revision: Int

  /// Creates an update.
  public init(_ presence: Presence, revision: Int) {
    self.presence = presence
    self.revision = revision
  }
}

/// Observes the subscribers of a session.
public protocol PresenceObserver: AnyObject, Sendable {
  /// The subscribers have changed since the last call, or the observer is new.
  ///
  /// Called one call at a time and at most four times per second, on any thread; it must not block.
  func presenceDidChange(_ update: PresenceUpdate)
}
