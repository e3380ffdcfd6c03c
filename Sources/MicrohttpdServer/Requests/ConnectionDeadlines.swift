/// Until when each connection has to go on, so that a slow client holds none for ever.
///
/// Pure. Every phase has one interval, so that a list in the order of entering is all the timer
/// there is. An interval counts from the beginning of its phase, and no byte extends it: that is
/// what defends against clients that send or read one byte at a time.
///
/// Most requests pass through all of their phases in one turn of their thread. A connection gets its
/// place in a list when the turn is over, in the phase that it is left in.
struct ConnectionDeadlines {
  private struct Connection {
    /// What it does; `nil` where there is none.
    var phase: ConnectionPhase?
    /// The list that it is in; `nil` for none.
    var listed: ConnectionPhase?
    /// Whether it began a phase in this turn.
    var hasMoved = false
  }

  private let intervals: [Int64]
  private var lists = [RecencyList](
    repeating: RecencyList(), count: ConnectionPhase.allCases.count)
  private var connections: [Connection] = []
  /// Who began a phase in this turn.
  private var moved: [Int] = []

  /// Takes the milliseconds that each phase may last; 0 is no limit.
  init(_ interval: (ConnectionPhase) -> Int64) {
    intervals = ConnectionPhase.allCases.map(interval)
  }

  /// A connection begins a phase.
  mutating func enter(_ phase: ConnectionPhase, _ index: Int) {
    while connections.count <= index { connections.append(Connection()) }
    connections[index].phase = phase
    guard !connections[index].hasMoved else { return }
    connections[index].hasMoved = true
    moved.append(index)
  }

  /// A connection begins a phase if it is in a certain other one.
  mutating func enter(_ phase: ConnectionPhase, from former: ConnectionPhase, _ index: Int) {
    guard connections.indices.contains(index), connections[index].phase == former else { return }
    enter(phase, index)
  }

  /// A connection needs no deadline any more.
  mutating func remove(_ index: Int) {
    guard connections.indices.contains(index) else { return }
    if let list = connections[index].listed { lists[Int(list.rawValue)].remove(index) }
    (connections[index].phase, connections[index].listed) = (nil, nil)
  }

  /// Ends a turn: what began in it counts from now on.
  mutating func endTurn(at now: Int64) {
    for index in moved {
      connections[index].hasMoved = false
      guard let phase = connections[index].phase else { continue }
      let isLimited = intervals[Int(phase.rawValue)] > 0
      if let former = connections[index].listed, former != phase {
        lists[Int(former.rawValue)].remove(index)
      }
      if isLimited { lists[Int(phase.rawValue)].touch(index, at: now) }
      connections[index].listed = isLimited ? phase : nil
    }
    moved.removeAll(keepingCapacity: true)
  }

  /// A connection whose time is over; its time is told once.
  mutating func takeOverdue(at now: Int64) -> (index: Int, phase: ConnectionPhase)? {
    for list in lists.indices {
      guard let (index, since) = lists[list].oldest, now - since >= intervals[list],
        let phase = connections[index].listed
      else { continue }
      lists[list].remove(index)
      connections[index].listed = nil
      return (index, phase)
    }
    return nil
  }

  /// When the next time is over; `nil` for never.
  var next: Int64? {
    var next: Int64?
    for list in lists.indices {
      guard let (_, since) = lists[list].oldest else { continue }
      next = min(next ?? .max, since + intervals[list])
    }
    return next
  }
}
