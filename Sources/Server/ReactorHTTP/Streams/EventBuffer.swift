internal import ReactorLog
internal import ReactorHost

/// The latest events of a channel, shared by its subscribers, each of which has a position in it.
///
/// A pure data structure. It retains at most ``bound`` events and about `byteBound` bytes,
/// regardless of the number of subscribers and how far they are behind.
struct EventBuffer {
  /// The next event for a subscriber.
  enum Next {
    /// This event, and then those after it.
    case event(StreamEvent)

    /// The next event is no longer retained; `latest` is the newest one, or `nil` if none is retained. A
    /// subscriber to every version must read the log.
    case behind(latest: StreamEvent?)

    /// No event: the subscriber has everything up to this version.
    case upToDate(version: Int)
  }

  /// The maximum number of bytes; reached before the bound of events if States are large.
  static let byteBound = 1 << 20
  /// The maximum number of bytes for a view that is not one of the first of its source.
  static let extraByteBound = 1 << 16

  private let bound: Int
  private let byteBound: Int
  private var events: ArraySlice<StreamEvent> = []
  /// The bytes of the retained events.
  private(set) var bytes = 0
  /// The version of the newest dropped event; a subscriber before it has fallen behind.
  private var droppedVersion: Int
  /// The current version, which may have no event.
  private(set) var version: Int

  /// Creates a buffer that begins at a version.
  init(bound: Int, byteBound: Int = Self.byteBound, version: Int) {
    self.bound = max(1, bound)
    self.byteBound = byteBound
    self.version = version
    droppedVersion = version
  }

  /// The newest event, or `nil` before the first one.
  var newest: StreamEvent? { events.last }

  /// Advances to a version without an event.
  mutating func advance(to version: Int) {
    self.version = max(self.version, version)
  }

  /// Appends an event and drops the oldest ones above the bounds.
  mutating func append(_ event: StreamEvent) {
    version = max(version, event.version)
    events.append(event)
    bytes += event.size
    while events.count > 1, events.count > bound || bytes > byteBound,
      let oldest = events.popFirst()
    {
      bytes -= oldest.size
      droppedVersion = oldest.version
    }
  }

  /// Drops all events; a subscriber before the current version has fallen behind.
  mutating func removeAll() {
    (events, bytes, droppedVersion) = ([], 0, version)
  }

  /// Returns the next event for a subscriber that has everything up to a version.
  func next(after seen: Int) -> Next {
    guard seen < version else { return .upToDate(version: seen) }
    guard seen >= droppedVersion else { return .behind(latest: events.last) }
    // Binary search for the first version after `seen`.
    var low = events.startIndex
    var high = events.endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if events[middle].version > seen { high = middle } else { low = middle + 1 }
    }
    guard low < events.endIndex else { return .upToDate(version: version) }
    // An event that spans versions is only for subscribers before all of them.
    return seen > events[low].follows ? .behind(latest: events.last) : .event(events[low])
  }
}
