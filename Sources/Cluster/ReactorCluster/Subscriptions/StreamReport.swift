package import ReactorHost

/// The number of streams of one stream owner.
package struct ReportedStreams: Equatable, Sendable {
  /// The name of the stream owner, or `nil` for streams without a name.
  package var name: String?

  /// The number of streams; 0 if the stream owner has none left.
  package var count: Int

  /// Creates a report.
  package init(name: String?, count: Int) {
    self.name = name
    self.count = count
  }
}

/// A part of the streams of a node that show a session, for the session's owner.
///
/// A part sets the counts of some stream owners. It is limited in size, so that it does not delay
/// other messages. The first report of a subscription, which begins with part 0, has all streams.
package struct StreamReport: Equatable, Sendable {
  /// The size of the streams of a part in bytes, after which the part ends.
  package static let byteLimit = 16_384

  /// The number of the subscription, see `SubscriptionTable.beginOpening(_:)`.
  package var subscription: UInt64

  /// The number of the part.
  package var part: Int

  /// Whether it is the last part of a report.
  package var isLast: Bool

  /// The streams.
  package var streams: [ReportedStreams]

  /// Creates a part.
  package init(
    subscription: UInt64, part: Int, isLast: Bool = true, streams: [ReportedStreams]
  ) {
    self.subscription = subscription
    self.part = part
    self.isLast = isLast
    self.streams = streams
  }
}

/// The edge's side: the streams of this node that show a session, and those that its owner does not
/// know yet.
package struct StreamReporter: Sendable {
  private var streams: [StreamOwner: Int] = [:]
  /// The stream owners whose counts have changed since the last part.
  private var changed: Set<StreamOwner> = []
  /// The subscription that the owner has, or `nil` before the first.
  private var subscription: UInt64?
  private var nextPart = 0

  /// Creates a reporter without streams.
  package init() {}

  /// Adds streams of an owner, or removes them.
  package mutating func change(_ owner: StreamOwner, by change: Int) {
    let count = streams[owner, default: 0] + change
    streams[owner] = count > 0 ? count : nil
    // Without a subscription, the first report contains all streams.
    if subscription != nil { changed.insert(owner) }
  }

  /// A subscription was opened: its owner has none of the streams, or outdated ones.
  package mutating func begin(_ number: UInt64) {
    guard number > subscription ?? 0 else { return }
    subscription = number
    nextPart = 0
    changed = Set(streams.keys)
  }

  /// Returns the parts to send, in order.
  package mutating func takeParts() -> [StreamReport] {
    guard let subscription, nextPart == 0 || !changed.isEmpty else { return [] }
    var rest = changed.map { ReportedStreams(name: $0.text, count: streams[$0] ?? 0) }[...]
    changed = []
    var parts: [StreamReport] = []
    repeat {
      let listed = rest.page(limit: .max, bytes: StreamReport.byteLimit) { $0.size }
      rest = rest.dropFirst(listed.count)
      parts.append(
        StreamReport(
          subscription: subscription, part: nextPart, isLast: rest.isEmpty, streams: Array(listed)))
      nextPart += 1
    } while !rest.isEmpty
    return parts
  }
}

extension ReportedStreams {
  /// The size in a message, in bytes.
  fileprivate var size: Int { (name?.utf8.count ?? 0) + 17 }
}

/// The owner's side: the streams of one subscribed node.
struct ReportedNode {
  private var streams: [StreamOwner: Int] = [:]
  /// The stream owners of the previous subscription that the first report has not named yet.
  private var unnamed: Set<StreamOwner> = []
  private var subscription: UInt64 = 0
  private var nextPart = 0

  /// A part arrived.
  ///
  /// - Returns: The changes of the counts, or `nil` if a part before it is missing.
  mutating func receive(_ report: StreamReport) -> [StreamOwner: Int]? {
    let expected = report.subscription == subscription ? nextPart : 0
    guard report.part <= expected else { return nil }
    // A repeated part changes nothing.
    guard report.part == expected else { return [:] }
    (subscription, nextPart) = (report.subscription, expected + 1)
    let counts = Dictionary(
      report.streams.map { (StreamOwner($0.name), $0.count) }, uniquingKeysWith: +)
    var changes: [StreamOwner: Int] = [:]
    if report.part == 0 { unnamed = Set(streams.keys) }
    for (owner, count) in counts {
      unnamed.remove(owner)
      changes[owner] = count - streams[owner, default: 0]
      streams[owner] = count > 0 ? count : nil
    }
    guard report.isLast else { return changes }
    for owner in unnamed { changes[owner] = -(streams.removeValue(forKey: owner) ?? 0) }
    unnamed = []
    return changes
  }

  /// Returns the changes that remove all streams.
  var removal: [StreamOwner: Int] { streams.mapValues { -$0 } }
}
