/// Assigns requests to a bounded number of connections, in the order in which they were added.
///
/// Of several idle connections, the most recently used one is selected, so that the others can be
/// closed.
///
/// ```
///   enqueue ──▶ a connection is idle: assign      ┐
///           ──▶ below the bound: start one        ├──▶ busy ── next: the oldest waiting request ──┐
///           ──▶ otherwise: wait ──────────────────┘     ▲                                         │
///                                                       └─────────────────────────────────────────┘
/// ```
///
/// A value without side effects; connections are numbers.
package struct ConnectionPool<Request: Sendable>: Sendable {
  /// The instruction to the caller that added a request.
  package enum Step: Sendable {
    /// Start this connection; it begins with ``take(_:)``.
    case start(Int)

    /// Wake this idle connection; it continues with ``take(_:)``.
    case wake(Int)

    /// Do nothing: a busy connection receives the request from its next ``take(_:)``.
    case wait

    /// Reject the request: the pool is closed.
    case reject(Request)
  }

  private let bound: Int
  private var nextNumber = 0
  private var connections: Set<Int> = []
  /// The idle connections in the order of their last use, the most recent one last.
  private var idle: [Int] = []
  private var assigned: [Int: Request] = [:]
  private var waiting: [Request] = []
  private var firstWaiting = 0

  /// Whether the pool rejects requests.
  package private(set) var isClosed = false

  /// Creates a pool without connections.
  package init(bound: Int) {
    self.bound = max(1, bound)
  }

  /// Adds a request.
  package mutating func enqueue(_ request: Request) -> Step {
    guard !isClosed else { return .reject(request) }
    if let number = idle.popLast() {
      assigned[number] = request
      return .wake(number)
    }
    guard connections.count < bound else {
      waiting.append(request)
      return .wait
    }
    let number = nextNumber
    nextNumber += 1
    connections.insert(number)
    assigned[number] = request
    return .start(number)
  }

  /// The idle connection that was used last; `nil` if all are busy.
  package var lastIdle: Int? { idle.last }

  /// Marks the connection ``lastIdle`` as busy with a request that the caller sends on it.
  package mutating func useLastIdle() {
    idle.removeLast()
  }

  /// Returns the next request for a connection; `nil` marks the connection as idle.
  package mutating func take(_ number: Int) -> Request? {
    if let request = assigned.removeValue(forKey: number) { return request }
    if firstWaiting < waiting.count {
      let request = waiting[firstWaiting]
      firstWaiting += 1
      if firstWaiting == waiting.count || firstWaiting >= 256 {
        waiting.removeFirst(firstWaiting)
        firstWaiting = 0
      }
      return request
    }
    if connections.contains(number), !idle.contains(number) { idle.append(number) }
    return nil
  }

  /// Removes a connection that was idle for long.
  ///
  /// - Returns: `false` if a request was assigned to it meanwhile.
  package mutating func retire(_ number: Int) -> Bool {
    guard assigned[number] == nil else { return false }
    idle.removeAll { $0 == number }
    connections.remove(number)
    return true
  }

  /// Rejects further requests.
  ///
  /// - Returns: The requests that no connection has begun, and all connections, which must end.
  package mutating func close() -> (requests: [Request], connections: [Int]) {
    isClosed = true
    defer {
      assigned = [:]
      waiting = []
      firstWaiting = 0
      idle = []
      connections = []
    }
    return (Array(waiting[firstWaiting...]) + assigned.values, connections.sorted())
  }
}
