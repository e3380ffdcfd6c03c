public import ReactorSessions

/// A part of the subscribers of a session, in the order of their names.
public struct PresencePage: Hashable, Sendable {
  /// The maximum number of subscribers in an event.
  package static let eventLimit = 100

  /// The bytes of names after which a page ends.
  package static let byteLimit = 16_384

  /// The number of streams of the session, and the subscribers of the page.
  public var presence: Presence

  /// The number of subscribers with a name after those of the page.
  public var more: Int

  /// Creates a page.
  public init(_ presence: Presence, more: Int = 0) {
    self.presence = presence
    self.more = more
  }
}

extension Presence {
  /// Returns the subscribers after a name, at most `limit` of them and as many as fit into a page.
  ///
  /// - Parameters:
  ///   - name: The last name of the previous page, or `nil` for the first page.
  ///   - limit: The maximum number of subscribers.
  /// - Returns: The page; one subscriber at least, if there are further ones.
  package func page(after name: String? = nil, limit: Int) -> PresencePage {
    let rest = subscribers.drop { !$0.name.utf8.isAfter(name?.utf8) }
    let listed = rest.page(limit: limit, bytes: PresencePage.byteLimit) { $0.name.utf8.count }
    return PresencePage(
      Presence(count: count, subscribers: Array(listed)), more: rest.count - listed.count)
  }
}

extension String.UTF8View {
  /// Whether a text follows another one in the order of bytes; every text follows `nil`.
  fileprivate func isAfter(_ other: String.UTF8View?) -> Bool {
    other?.lexicographicallyPrecedes(self) ?? true
  }
}

/// The owner of a stream.
public struct StreamOwner: Hashable, Sendable {
  /// An owner without a name.
  public static let anonymous = StreamOwner(nil)

  /// The name in UTF-8, compared byte by byte, or `nil` for none.
  let name: [UInt8]?

  /// Creates an owner.
  ///
  /// - Parameter name: The id of its principal, or the name that it chose, or `nil` for none.
  public init(_ name: String?) {
    self.name = name.map { Array($0.utf8) }
  }

  /// The name, or `nil` for none.
  package var text: String? {
    name.map { String(decoding: $0, as: UTF8.self) }
  }
}

/// A presence and its position among those of its session.
public struct PresenceUpdate: Sendable {
  /// The subscribers; at a node of a cluster that does not own the session, those of an event.
  public let presence: Presence

  /// The number of subscribers with a name after those of ``presence``.
  public let more: Int

  /// The number of changes that the presence contains.
  public let revision: Int

  /// Creates an update.
  public init(_ presence: Presence, more: Int = 0, revision: Int) {
    self.presence = presence
    self.more = more
    self.revision = revision
  }

  /// The subscribers of an event.
  package var eventPage: PresencePage {
    var page = presence.page(limit: PresencePage.eventLimit)
    page.more += more
    return page
  }
}

/// Observes the subscribers of a session.
public protocol PresenceObserver: AnyObject, Sendable {
  /// The subscribers have changed since the last call, or the observer is new.
  ///
  /// Called one call at a time and at most four times per second, on any thread; it must not block.
  func presenceDidChange(_ update: PresenceUpdate)
}
