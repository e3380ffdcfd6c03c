internal import ReactorCoding
internal import ReactorHost

/// The JSON of a presence.
enum PresenceText {
  private struct Page: Encodable {
    let count: Int
    let subscribers: [Presence.Subscriber]
    let more: Int
  }

  /// Returns the JSON of a part of the subscribers.
  static func json(of page: PresencePage) -> [UInt8] {
    let page = Page(
      count: page.presence.count, subscribers: page.presence.subscribers, more: page.more)
    return (try? JSONCoder.encode(page)) ?? Array("{}".utf8)
  }
}
