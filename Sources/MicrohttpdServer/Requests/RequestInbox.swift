/// What other threads have for a request loop that it has not taken yet.
struct RequestInbox {
  /// Suspended exchanges whose answers are there.
  var answered: [Exchange] = []

  /// Whoever waits for an answer is answered now, and nobody may begin to wait.
  var abandonsWaiting = false

  /// Sockets that others listen on, too, are left to them.
  var leavesInherited = false

  /// The loop has to end.
  var stops = false

  /// The loop waits in the kernel: whoever brings something must ring.
  var isAsleep = false

  /// There may be room for more connections.
  var hasRoom = false

  /// Whether there is nothing to take.
  var isEmpty: Bool {
    answered.isEmpty && !hasRoom && !leavesInherited && !abandonsWaiting && !stops
  }

  /// True, once, when the loop has to be rung awake for what was just put in.
  mutating func mustRing() -> Bool {
    defer { isAsleep = false }
    return isAsleep
  }

  /// Empties the list into that of an inbox that was taken before, which lends its memory.
  mutating func take(into taken: inout RequestInbox) {
    taken.answered.removeAll(keepingCapacity: true)
    swap(&answered, &taken.answered)
    taken.abandonsWaiting = abandonsWaiting
    taken.stops = stops
    taken.hasRoom = hasRoom
    taken.leavesInherited = leavesInherited
    leavesInherited = false
    abandonsWaiting = false
    hasRoom = false
    isAsleep = false
  }
}
