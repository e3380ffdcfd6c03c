internal import ReactorHost

/// The latest events of a stream, shared by all that watch it: a subscriber is a position in it.
///
/// Pure: it holds what was sent and answers what a subscriber at some version gets next. However
/// many subscribers there are, and however far behind, it keeps at most ``bound`` events and about
/// ``byteBound`` bytes.
struct EventBuffer {
  /// What comes next for a subscriber.
  enum Next {
    /// This event, and then those after it.
    case event(StreamEvent)

    /// What follows is not here any more; this is the latest that is. One who wants each event has
    /// to read the log.
    case behind(latest: StreamEvent?)

    /// Nothing yet: the subscriber has seen everything up to this version.
    case upToDate(version: Int)
  }

  /// A stream of large states is bounded by its bytes before it is by its events.
  static let byteBound = 1 << 20

  private let bound: Int
  private var events: ArraySlice<StreamEvent> = []
  private var bytes = 0
  /// The version of the newest event that was dropped; a subscriber before it has fallen behind.
  private var droppedVersion: Int
  /// The version that the stream has reached, which need not have an event of its own.
  private(set) var version: Int

  /// Makes a buffer for a stream that begins at a version.
  init(bound: Int, version: Int) {
    self.bound = max(1, bound)
    self.version = version
    droppedVersion = version
  }

  /// A version was reached that shows nothing new.
  mutating func advance(to version: Int) {
    self.version = max(self.version, version)
  }

  /// A version was reached that shows something new.
  mutating func append(_ event: StreamEvent) {
    version = max(version, event.version)
    events.append(event)
    bytes += event.size
    while events.count > 1, events.count > bound || bytes > Self.byteBound,
      let oldest = events.popFirst()
    {
      bytes -= oldest.size
      droppedVersion = oldest.version
    }
  }

  /// What a subscriber gets that has seen everything up to a version.
  func next(after seen: Int) -> Next {
    guard seen < version else { return .upToDate(version: seen) }
    guard seen >= droppedVersion else { return .behind(latest: events.last) }
    // Versions ascend: the first one after `seen` is found by halving.
    var low = events.startIndex
    var high = events.endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if events[middle].version > seen { high = middle } else { low = middle + 1 }
    }
    guard low < events.endIndex else { return .upToDate(version: version) }
    // An event that leaps over versions is for those who have seen none of them.
    return seen > events[low].follows ? .behind(latest: events.last) : .event(events[low])
  }
}
