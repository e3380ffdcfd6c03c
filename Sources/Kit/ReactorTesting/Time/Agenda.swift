internal import ReactorStreams

/// Jobs sorted by due time; jobs with the same due time keep their order.
struct Agenda {
  private var entries: [(job: ScheduledJob, due: Duration)] = []  // the latest first

  mutating func insert(_ job: ScheduledJob, due: Duration) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = low + (high - low) / 2
      if entries[middle].due > due { low = middle + 1 } else { high = middle }
    }
    entries.insert((job, due), at: low)
  }

  /// Removes and returns the next job if it is due at or before a time, or returns `nil` for no limit.
  mutating func popFirst(until end: Duration?) -> (job: ScheduledJob, due: Duration)? {
    guard let next = entries.last, end.map({ next.due <= $0 }) ?? true else { return nil }
    return entries.removeLast()
  }
}
