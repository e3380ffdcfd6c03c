internal import Glibc
package import ReactorLog
internal import Synchronization
internal import SystemThreads
package import Telemetry

/// The processes of a cluster in the table `nodes` of their store.
///
/// The thread `log-nodes` announces this process every 0.5 s on a connection of its own, and reads the others in the same
/// statement. All times in the table are of the database's clock. The statement is a commit: a database that has
/// lost its standby, or that another one has replaced, does not confirm it.
///
/// A process that is missing may run: its connection to the database may be interrupted.
package final class NodeTable: Sendable {
  /// A process with its address: `HOST:PORT`.
  package typealias Entry = (node: NodeID, address: String)

  /// A process as it announces itself.
  private struct Presence {
    let node: NodeID
    let address: String
  }

  private struct State {
    var own: Presence?
    var isDraining = false
    var isClosed = false
    /// Whether the thread is to begin a round now.
    var isRequested = false
    var others: [Entry] = []
    /// Those of them that have announced themselves in the last two seconds.
    var running: [NodeID] = []
  }

  /// The interval of announcements, and the minimum time between two rounds, in milliseconds.
  private static let (interval, pause): (Int64, Int64) = (500, 50)
  /// The maximum time of an announcement; the connection is replaced afterwards.
  private static let timeout: Int64 = 1500
  /// How long an announcement is valid, in milliseconds.
  private static let validity: Int64 = 2000
  /// The times after which a process without announcements is not present, and its row is deleted, in seconds.
  private static let (absence, removal) = (10, 60)

  /// The maximum number of other processes.
  private static let limit = 256

  private let address: PostgresAddress
  private let logger: Logger
  private let statement: SQL
  private let removal: SQL
  private let state = Mutex(State())
  /// The time at which the last confirmed announcement was sent, in ``Clock/milliseconds``.
  private let confirmedAt = Atomic<Int64>(.min)
  private let hasFailed = Atomic<Bool>(false)
  private let isDue = Semaphore()
  private let isWithdrawn = Semaphore()

  /// Creates the presence of a process that is not announced yet.
  ///
  /// - Parameters:
  ///   - settings: The store, whose tables exist.
  ///   - logger: Logs when the database stops to confirm this process, and when it does again.
  package init(_ settings: PostgresLog.Settings, logger: Logger = .silent) {
    address = settings.address
    self.logger = logger
    let table = "\(DatabaseSchema.quoted(settings.schema)).nodes"
    // A process that was paused can announce itself while another one deletes its row: the deletion waits for
    // no lock.
    statement = SQL(
      """
      with own as (
        insert into \(table) (shard, incarnation, name, address, draining, seen)
        values (\(ShardMap.common), $1::int8, $2::text, $3::text, $4::bool, clock_timestamp())
        on conflict (shard, incarnation) do update set address = excluded.address,
          draining = excluded.draining, seen = excluded.seen),
      ended as (
        delete from \(table) n using (
          select shard, incarnation from \(table)
          where shard = \(ShardMap.common) and incarnation <> $1::int8
            and seen < clock_timestamp() - interval '\(Self.removal) s' for update skip locked) e
        where n.shard = e.shard and n.incarnation = e.incarnation)
      select incarnation, name, address, seen > clock_timestamp() - interval '\(Self.validity) ms' from \(table)
      where shard = \(ShardMap.common) and incarnation <> $1::int8
        and seen > clock_timestamp() - interval '\(Self.absence) s'
      order by name, incarnation limit \(Self.limit)
      """)
    removal = SQL(
      "delete from \(table) where shard = \(ShardMap.common) and incarnation = $1::int8")
  }

  /// Starts the thread, which ends after ``close()``.
  ///
  /// - Throws: If the thread cannot be created.
  package func start() throws(PostgresLogError) {
    guard SystemThread(named: "log-nodes", { [self] in run() }) != nil else {
      throw PostgresLogError("cannot create a thread for the nodes of the store")
    }
  }

  /// Ends the announcements; the others see that this process is gone when its row expires.
  package func close() {
    state.withLock { $0.isClosed = true }
    isDue.signal()
  }

  /// The address of a process, or `nil` for one that is not present.
  package func address(of node: NodeID) -> String? {
    state.withLock { state in state.others.first { $0.node == node }?.address }
  }

  /// The processes that are present without this one, in the order of their names.
  package var entries: [Entry] { state.withLock { $0.others } }

  /// The other processes that the database has confirmed within the last two seconds, when this one was confirmed last.
  package var running: [NodeID] { state.withLock { $0.running } }

  /// Whether the database has confirmed this process within the last two seconds.
  package var isConfirmed: Bool {
    let last = confirmedAt.load(ordering: .relaxed)
    return last != .min && Clock.milliseconds - last < Self.validity
  }

  /// Announces this process, or another incarnation of it, at an address.
  package func announce(_ node: NodeID, at address: String) {
    state.withLock { $0.own = Presence(node: node, address: address) }
    refresh()
  }

  /// Announces that this process is about to stop.
  package func drain() {
    state.withLock { $0.isDraining = true }
    refresh()
  }

  /// Removes this process; blocks until it is removed, for at most a second.
  package func withdraw() {
    let wasAnnounced = state.withLock { $0.own.take() != nil }
    guard wasAnnounced else { return }
    refresh()
    _ = isWithdrawn.wait(for: .seconds(1))
  }

  /// Announces this process and reads the others soon.
  package func refresh() {
    let isNew = state.withLock { state in
      defer { state.isRequested = true }
      return !state.isRequested
    }
    if isNew { isDue.signal() }
  }

  // MARK: log-nodes

  private func run() {
    var connection: PostgresConnection?
    var announced: NodeID?
    while true {
      let (own, isDraining, isClosed) = state.withLock { state in
        state.isRequested = false
        return (state.own, state.isDraining, state.isClosed)
      }
      guard !isClosed else { return }
      let start = Clock.milliseconds
      do throws(PostgresError) {
        if own != nil || announced != nil {
          let current =
            if let connection { connection } else { try PostgresConnection.open(address) }
          connection = current
          let deadline = start + Self.timeout
          if let former = announced, former != own?.node {
            confirmedAt.store(.min, ordering: .relaxed)
            try current.execute(removal, .of(former.incarnation), deadline: deadline)
            announced = nil
          }
          if let own {
            announced = own.node
            try announce(own, isDraining, at: current, deadline)
            didConfirm(since: start)
          } else {
            state.withLock { ($0.others, $0.running) = ([], []) }
            isWithdrawn.signal()
          }
        }
      } catch {
        connection = nil
        didFail(error)
      }
      // Requests of many threads begin one round.
      usleep(UInt32(Self.pause * 1000))
      let pause = Self.interval - (Clock.milliseconds - start)
      if pause > 0 { _ = isDue.wait(for: .milliseconds(pause)) }
    }
  }

  private func announce(
    _ own: Presence, _ isDraining: Bool, at connection: PostgresConnection, _ deadline: Int64
  ) throws(PostgresError) {
    let rows = try connection.execute(
      statement, .of(own.node.incarnation, own.node.name, own.address, isDraining),
      deadline: deadline)
    let found = try rows.map(as: (UInt64, String, String, Bool).self) {
      (NodeID(name: $1, incarnation: $0), $2, $3)
    }
    let others = found.map { Entry(node: $0.0, address: $0.1) }
    let running = found.filter { $0.2 }.map(\.0)
    state.withLock { ($0.others, $0.running) = (others, running) }
  }

  private func didConfirm(since start: Int64) {
    confirmedAt.store(start, ordering: .relaxed)
    let wasFailing = hasFailed.exchange(false, ordering: .relaxed)
    if wasFailing { logger.info("the database confirms this node again") }
  }

  private func didFail(_ error: PostgresError) {
    guard !isConfirmed, !hasFailed.exchange(true, ordering: .relaxed) else { return }
    logger.error(
      "the database does not confirm this node, which serves nothing meanwhile",
      ["error": "\(error)"])
  }
}
