/// Until when each connection has to go on, so that a slow client holds none for ever.
///
/// Pure. Every phase has one interval, so that a list in the order of entering is all the timer
/// there is. An interval counts from the beginning of its phase, and no byte extends it: that is
/// what defends against clients that send or read one byte at a time.
struct ConnectionDeadlines {
  private let intervals: [Int64]
  private var lists = [RecencyList](
    repeating: RecencyList(), count: ConnectionPhase.allCases.count)
  private var phases: [ConnectionPhase] = []

  /// Takes the milliseconds that each phase may last; 0 is no limit.
  init(_ interval: (ConnectionPhase) -> Int64) {
    intervals = ConnectionPhase.allCases.map(interval)
  }

  /// What a connection does that was not removed.
  func phase(of index: Int) -> ConnectionPhase? {
    phases.indices.contains(index) ? phases[index] : nil
  }

  /// A connection begins a phase.
  mutating func enter(_ phase: ConnectionPhase, _ index: Int, at now: Int64) {
    while phases.count <= index { phases.append(.opened) }
    let former = phases[index]
    if former != phase { lists[Int(former.rawValue)].remove(index) }
    phases[index] = phase
    if intervals[Int(phase.rawValue)] > 0 { lists[Int(phase.rawValue)].touch(index, at: now) }
  }

  /// A connection needs no deadline any more.
  mutating func remove(_ index: Int) {
    guard index < phases.count else { return }
    lists[Int(phases[index].rawValue)].remove(index)
  }

  /// A connection whose time is over; it is removed.
  mutating func takeOverdue(at now: Int64) -> (index: Int, phase: ConnectionPhase)? {
    for phase in lists.indices {
      if let (index, since) = lists[phase].oldest, now - since >= intervals[phase] {
        lists[phase].remove(index)
        return (index, phases[index])
      }
    }
    return nil
  }

  /// When the next time is over; `nil` for never.
  var next: Int64? {
    var next: Int64?
    for phase in lists.indices {
      guard let (_, since) = lists[phase].oldest else { continue }
      next = min(next ?? .max, since + intervals[phase])
    }
    return next
  }
}
