internal import ReactorHTTP

/// What other threads have for a loop that it has not taken yet.
struct StreamInbox {
  var arrivals: [HandOff] = []
  private(set) var groups: [StreamGroup] = []
  private var pending: Set<ObjectIdentifier> = []
  var asksAll = false
  var stops = false

  /// The loop waits in the kernel: whoever brings something must ring.
  var isAsleep = false

  /// Whether there is anything to take.
  var isEmpty: Bool { arrivals.isEmpty && groups.isEmpty && !asksAll && !stops }

  /// A group has news; once is enough.
  mutating func wake(_ group: StreamGroup) {
    if pending.insert(ObjectIdentifier(group)).inserted { groups.append(group) }
  }

  /// True, once, when the loop has to be rung awake for what was just put in.
  mutating func mustRing() -> Bool {
    defer { isAsleep = false }
    return isAsleep
  }

  /// Empties the lists into those of an inbox that was taken before, which lends its memory.
  mutating func take(into taken: inout StreamInbox) {
    taken.arrivals.removeAll(keepingCapacity: true)
    taken.groups.removeAll(keepingCapacity: true)
    taken.pending.removeAll(keepingCapacity: true)
    taken.asksAll = false
    taken.isAsleep = false
    // Stopping is for good.
    taken.stops = stops
    swap(&self, &taken)
    stops = taken.stops
  }
}
