internal import ReactorCoding
internal import ReactorHost

/// The JSON of a presence.
enum PresenceText {
  /// The maximum number of names in an event.
  static let eventLimit = 100

  /// The bytes of names after which the list ends.
  private static let byteLimit = 16_384

  private struct Page: Encodable {
    let count: Int
    let subscribers: [Presence.Subscriber]
    let more: Int
  }

  /// Returns the JSON of the first subscribers, at most `limit`; the member `more` is the number of
  /// those after them.
  static func json(of presence: Presence, limit: Int) -> [UInt8] {
    let listed = page(of: presence.subscribers[...], limit: limit)
    return json(of: presence.count, listed, more: presence.subscribers.count - listed.count)
  }

  /// Returns the JSON of a part of the subscribers.
  static func json(
    of count: Int, _ listed: ArraySlice<Presence.Subscriber>, more: Int
  ) -> [UInt8] {
    let page = Page(count: count, subscribers: Array(listed), more: more)
    return (try? JSONCoder.encode(page)) ?? Array("{}".utf8)
  }

  /// Returns the first subscribers of a list, within the limits; at least one.
  static func page(
    of subscribers: ArraySlice<Presence.Subscriber>, limit: Int
  ) -> ArraySlice<Presence.Subscriber> {
    subscribers.page(limit: limit, bytes: byteLimit) { $0.name.utf8.count }
  }
}
