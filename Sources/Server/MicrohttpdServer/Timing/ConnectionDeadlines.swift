/// The timeouts of connections for requests.
///
/// Pure. Every phase has one interval, so a list in the order of entry replaces timers. The interval
/// counts from the beginning of the phase, and no byte extends it, which defends against clients that
/// send or read one byte at a time.
///
/// Most requests pass through all phases in one turn of their thread. A connection is therefore
/// only added to a list at the end of a turn, to the list of its phase at that time.
struct ConnectionDeadlines {
  private struct Connection {
    /// The current phase, or `nil` for an unused index.
    var phase: ConnectionPhase?
    /// The list that the connection is in.
    var listed: ConnectionPhase?
    /// Whether it entered a phase in this turn.
    var hasMoved = false
  }

  private let intervals: [Int64]
  private var lists = [RecencyList](
    repeating: RecencyList(), count: ConnectionPhase.allCases.count)
  private var connections: [Connection] = []
  /// The connections that entered a phase in this turn.
  private var moved: [Int] = []

  /// Creates timeouts from the milliseconds that each phase may last; 0 is no limit.
  init(_ interval: (ConnectionPhase) -> Int64) {
    intervals = ConnectionPhase.allCases.map(interval)
  }

  /// Moves a connection to a phase.
  mutating func enter(_ phase: ConnectionPhase, _ index: Int) {
    while connections.count <= index { connections.append(Connection()) }
    connections[index].phase = phase
    guard !connections[index].hasMoved else { return }
    connections[index].hasMoved = true
    moved.append(index)
  }

  /// Moves a connection to a phase if it is in the phase `former`.
  mutating func enter(_ phase: ConnectionPhase, from former: ConnectionPhase, _ index: Int) {
    guard connections.indices.contains(index), connections[index].phase == former else { return }
    enter(phase, index)
  }

  /// Removes a closed connection.
  mutating func remove(_ index: Int) {
    guard connections.indices.contains(index) else { return }
    if let list = connections[index].listed { lists[Int(list.rawValue)].remove(index) }
    (connections[index].phase, connections[index].listed) = (nil, nil)
  }

  /// Ends a turn: the phases that were entered in it begin now.
  mutating func endTurn(at now: Int64) {
    for index in moved {
      connections[index].hasMoved = false
      guard let phase = connections[index].phase else { continue }
      if let former = connections[index].listed, former != phase {
        lists[Int(former.rawValue)].remove(index)
      }
      lists[Int(phase.rawValue)].touch(index, at: now)
      connections[index].listed = phase
    }
    moved.removeAll(keepingCapacity: true)
  }

  /// Removes from its list and returns a connection that has exceeded the interval of its phase.
  mutating func takeOverdue(at now: Int64) -> (index: Int, phase: ConnectionPhase)? {
    for phase in ConnectionPhase.allCases {
      let list = Int(phase.rawValue)
      guard intervals[list] > 0, let (_, since) = lists[list].oldest,
        now - since >= intervals[list], let index = removeOldest(in: phase)
      else { continue }
      return (index, phase)
    }
    return nil
  }

  /// Whether a connection waits for a request.
  var hasWaiting: Bool {
    lists[Int(ConnectionPhase.idle.rawValue)].count > 0
      || lists[Int(ConnectionPhase.opened.rawValue)].count > 0
  }

  /// Removes and returns the connection that has waited longest for its first or its next request.
  ///
  /// New and idle connections are compared, so that a connection that never sends a request does
  /// not outlast one that is used.
  ///
  /// - Parameter isCandidate: Whether a connection may be removed; called for the connections only that have waited
  ///   longest in each phase, so that the search is short.
  /// - Returns: The connection, or `nil` if there is none.
  mutating func removeLongestWaiting(where isCandidate: (Int) -> Bool = { _ in true }) -> Int? {
    func oldest(in phase: ConnectionPhase) -> (index: Int, time: Int64)? {
      lists[Int(phase.rawValue)].oldest.flatMap { isCandidate($0.index) ? $0 : nil }
    }
    let idle = oldest(in: .idle)
    guard let opened = oldest(in: .opened) else {
      return idle.flatMap { _ in removeOldest(in: .idle) }
    }
    return removeOldest(in: idle.map { $0.time < opened.time } ?? false ? .idle : .opened)
  }

  /// Removes and returns the connection that has been in a phase for longest.
  mutating func removeOldest(in phase: ConnectionPhase) -> Int? {
    guard let (index, _) = lists[Int(phase.rawValue)].oldest else { return nil }
    lists[Int(phase.rawValue)].remove(index)
    connections[index].listed = nil
    return index
  }

  /// When the next timeout is due, or `nil` without one.
  var next: Int64? {
    var next: Int64?
    for list in lists.indices where intervals[list] > 0 {
      guard let (_, since) = lists[list].oldest else { continue }
      next = min(next ?? .max, since + intervals[list])
    }
    return next
  }
}
