internal import Synchronization

/// Counts what clients hold of the tables that all of them share.
///
/// One object per service. Each shared table asks it with the account of the client, and releases a place when
/// it becomes free. All methods are safe on any thread. A request for a place costs two atomic operations; only
/// the search for an account takes a lock, one of several.
public final class Ledger: Sendable {
  /// A table with places that clients share.
  ///
  /// The articles on limits have a row for each.
  public enum Table: CaseIterable, Sendable {
    /// Bytes of bodies of requests.
    case bodies
    /// Connections for requests.
    case connections
    /// Retained decisions of the webhook; they are dropped, not rejected.
    case decisions
    /// Running effects.
    case effects
    /// Bytes of events that streams have not sent; the streams are closed, not rejected.
    case events
    /// Histories that are being copied.
    case forks
    /// Bytes of the histories in a store in memory.
    case histories
    /// Requests that wait for a background thread.
    case jobs
    /// Requests to providers and to the webhook that have no response yet.
    case questions
    /// Bytes of responses that are being sent; the connections are closed, not rejected.
    case responses
    /// Sessions in memory.
    case sessions
    /// Connections of one client, streams included; they are limited per client only.
    case sockets
    /// Bytes of sessions in memory: of each the State as a value and as JSON, the retained elements of a
    /// `PlainState`, the parameters, and 2 KiB; they are evicted, not rejected.
    case states
    /// Streams.
    case streams
    /// Bytes that the views of sessions retain for their streams: events, the States that the next events
    /// depend on, and those that streams of every version read. They are dropped, or the streams are closed.
    case views
  }

  /// A number for each table.
  struct Counts: ~Copyable, Sendable {
    private let bodies = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)
    private let decisions = Atomic<Int>(0)
    private let effects = Atomic<Int>(0)
    private let events = Atomic<Int>(0)
    private let forks = Atomic<Int>(0)
    private let histories = Atomic<Int>(0)
    private let jobs = Atomic<Int>(0)
    private let questions = Atomic<Int>(0)
    private let responses = Atomic<Int>(0)
    private let sessions = Atomic<Int>(0)
    private let sockets = Atomic<Int>(0)
    private let states = Atomic<Int>(0)
    private let streams = Atomic<Int>(0)
    private let views = Atomic<Int>(0)

    /// Adds to the number of a table and returns the sum.
    borrowing func add(_ count: Int, to table: Table) -> Int {
      switch table {
      case .bodies: bodies.add(count, ordering: .relaxed).newValue
      case .connections: connections.add(count, ordering: .relaxed).newValue
      case .decisions: decisions.add(count, ordering: .relaxed).newValue
      case .effects: effects.add(count, ordering: .relaxed).newValue
      case .events: events.add(count, ordering: .relaxed).newValue
      case .forks: forks.add(count, ordering: .relaxed).newValue
      case .histories: histories.add(count, ordering: .relaxed).newValue
      case .jobs: jobs.add(count, ordering: .relaxed).newValue
      case .questions: questions.add(count, ordering: .relaxed).newValue
      case .responses: responses.add(count, ordering: .relaxed).newValue
      case .sessions: sessions.add(count, ordering: .relaxed).newValue
      case .sockets: sockets.add(count, ordering: .relaxed).newValue
      case .states: states.add(count, ordering: .relaxed).newValue
      case .streams: streams.add(count, ordering: .relaxed).newValue
      case .views: views.add(count, ordering: .relaxed).newValue
      }
    }
  }

  fileprivate struct Entry: Sendable {
    weak var account: Account?
  }

  /// The accounts of some of the clients.
  ///
  /// No account retains the ledger, which retains accounts.
  fileprivate final class Shard: Sendable {
    let entries = Mutex<[Client: Entry]>([:])
  }

  /// The numbers of places that are in use.
  fileprivate final class Totals: Sendable {
    let counts = Counts()
  }

  /// The accounts that were created last, so that a client keeps its account between two requests.
  private struct Recent: Sendable {
    var accounts: [Account] = []
    var next = 0

    /// Adds an account; returns one that need not be retained any more.
    mutating func insert(_ account: Account) -> Account? {
      guard accounts.count == Ledger.recentCount else {
        accounts.append(account)
        return nil
      }
      defer {
        accounts[next] = account
        next = (next + 1) % accounts.count
      }
      return accounts[next]
    }
  }

  /// The number of accounts that the ledger retains by itself.
  static let recentCount = 1_024

  private let totals = Totals()
  private let shards = (0..<16).map { _ in Shard() }
  private let recent = Mutex(Recent())

  private let ended = Counts()
  private let creations = AtomicLazyReference<ClientLimiter>()

  /// The tables of bytes that the service retains for clients, which have one common bound.
  private static let memoryTables = [Table.events, .histories, .responses, .states, .views]

  /// The bound of the bytes of sessions, histories, views, unsent events and unsent responses of all clients
  /// together.
  public let memory: Int

  /// Creates a ledger without accounts.
  ///
  /// - Parameter memory: The bound of ``memory``; see ``mustRelease(_:)``.
  public init(memory: Int = .max) { self.memory = memory }

  /// Returns whether a table of bytes must release some: all of them together exceed their bound, and this one
  /// has more than an equal part of it.
  ///
  /// A table with less never pays for another one. At least one table must release something as long as the
  /// bound is exceeded.
  public func mustRelease(_ table: Table) -> Bool { excess(of: table) > 0 }

  /// Returns the bytes that a table must release; see ``mustRelease(_:)``.
  public func excess(of table: Table) -> Int {
    let excess = used(table) - memory / Self.memoryTables.count
    guard excess > 0 else { return 0 }
    return max(0, min(excess, Self.memoryTables.reduce(-memory) { $0 + used($1) }))
  }

  /// Returns the account that holds most places of a table, or `nil` if none holds any.
  ///
  /// Visits all accounts.
  public func largest(_ table: Table) -> Account? {
    let accounts = shards.flatMap { $0.entries.withLock { $0.values.compactMap(\.account) } }
    let largest = accounts.max { $0.held(table) < $1.held(table) }
    return largest.flatMap { $0.held(table) > 0 ? $0 : nil }
  }

  /// Records that the streams of a session or of a view, a stream or a response were ended to release bytes of a
  /// table.
  public func didEnd(_ table: Table) { _ = ended.add(1, to: table) }

  /// Returns the number of ends that were recorded.
  public func ended(_ table: Table) -> Int { ended.add(0, to: table) }

  /// Limits the sessions that a client creates per hour; only the first call has an effect.
  package func limitCreations(perHour limit: Int) {
    _ = creations.storeIfNil(ClientLimiter(limit: limit, per: .seconds(3600)))
  }

  /// Counts the sessions that clients create, or is `nil` without a limit.
  package var creationLimiter: ClientLimiter? { creations.load() }

  /// Returns the account of a client, the same one as long as anything retains it.
  public func account(of client: Client) -> Account {
    let shard = shards[Int(UInt(bitPattern: client.hashValue) % UInt(shards.count))]
    if let account = shard.entries.withLock({ $0[client]?.account }) { return account }
    let created = Account(client, totals, shard)
    let account = shard.entries.withLock { entries in
      if let account = entries[client]?.account { return account }
      entries[client] = Entry(account: created)
      return created
    }
    // The last reference is released without a lock, since the end of an account takes one.
    let former = recent.withLock { $0.insert(account) }
    withExtendedLifetime(former) {}
    return account
  }

  /// The number of clients with an account.
  public var clientCount: Int {
    shards.reduce(0) { $0 + $1.entries.withLock { $0.count } }
  }

  /// Returns the places of a table that are in use.
  public func used(_ table: Table) -> Int { totals.counts.add(0, to: table) }

  /// Reserves places of a table, if the share of the client permits.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - count: The number of places.
  ///   - capacity: The places of the table.
  ///   - first: The places that each client gets as long as the table has any.
  ///   - account: The account of the client, or `nil` for the service itself, timers and other nodes, which get
  ///     what the table has.
  /// - Returns: Whether the places are reserved.
  public func acquire(
    _ table: Table, _ count: Int = 1, of capacity: Int, first: Int = 1, for account: Account?
  ) -> Bool {
    if let account { return account.acquire(table, count, of: capacity, first: first) }
    if totals.counts.add(count, to: table) <= capacity { return true }
    release(table, count, of: nil)
    return false
  }

  /// Reserves places of a table, whether or not the table and the share of the client have them.
  public func take(_ table: Table, _ count: Int = 1, for account: Account?) {
    if let account { account.take(table, count) } else { _ = totals.counts.add(count, to: table) }
  }

  /// Releases places of a client, or of none.
  public func release(_ table: Table, _ count: Int = 1, of account: Account?) {
    if let account {
      account.release(table, count)
    } else {
      _ = totals.counts.add(-count, to: table)
    }
  }
}

/// The holdings of one client in each table.
///
/// Whatever holds a place retains the account.
public final class Account: Sendable {
  /// The client.
  public let client: Client

  /// A number of the client, which another client has only by chance; not 0.
  public let number: Int

  /// The account that sessions are counted for which the current code brings into memory.
  @TaskLocal public static var current: Account?

  private let totals: Ledger.Totals
  private let shard: Ledger.Shard
  private let held = Ledger.Counts()

  fileprivate init(_ client: Client, _ totals: Ledger.Totals, _ shard: Ledger.Shard) {
    (self.client, self.totals, self.shard) = (client, totals, shard)
    number = client.hashValue | 1
  }

  deinit {
    shard.entries.withLock { entries in
      // The client may have a new account already.
      if let entry = entries[client], entry.account == nil { entries[client] = nil }
    }
  }

  /// Reserves places of a table, if the client's share permits.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - count: The number of places.
  ///   - capacity: The places of the table.
  ///   - first: The places that each client gets as long as the table has any.
  /// - Returns: Whether the client has them.
  public func acquire(
    _ table: Ledger.Table, _ count: Int = 1, of capacity: Int, first: Int = 1
  ) -> Bool {
    let used = totals.counts.add(count, to: table)
    let held = held.add(count, to: table)
    if ShareRule.admits(held: held, used: used, of: capacity, first: first) { return true }
    release(table, count)
    return false
  }

  /// Reserves places of a table beyond the client's share, and returns what the client holds then.
  @discardableResult
  public func take(_ table: Ledger.Table, _ count: Int = 1) -> Int {
    _ = totals.counts.add(count, to: table)
    return held.add(count, to: table)
  }

  /// Releases places.
  public func release(_ table: Ledger.Table, _ count: Int = 1) {
    _ = held.add(-count, to: table)
    _ = totals.counts.add(-count, to: table)
  }

  /// The time at which idle places of others may be searched again for the client, in milliseconds.
  private let nextSearch = Atomic<Int64>(0)

  /// Returns whether idle places may be searched for the client.
  ///
  /// - Parameter now: The time in milliseconds.
  /// - Returns: Whether no search was without a result a moment ago.
  public func maySearch(at now: Int64) -> Bool { now >= nextSearch.load(ordering: .relaxed) }

  /// Permits no search for a while, after one without a result.
  ///
  /// - Parameter now: The time in milliseconds.
  public func pauseSearch(from now: Int64) { nextSearch.store(now + 50, ordering: .relaxed) }

  /// The number of log lines per second that the requests of a client may cause, beside those at debug level.
  public static let linesPerSecond = 10

  /// The time at which the client has its full quota of log lines again, in milliseconds.
  private let linesDue = Atomic<Int64>(0)

  /// Counts a log line that a request of the client causes.
  ///
  /// - Parameter now: The time in milliseconds.
  /// - Returns: Whether the line is within the quota.
  public func takeLine(at now: Int64) -> Bool {
    let interval = 1000 / Int64(Self.linesPerSecond)
    var due = linesDue.load(ordering: .relaxed)
    while true {
      let next = max(due, now) + interval
      guard next - now <= 1000 else { return false }
      let (isExchanged, current) = linesDue.weakCompareExchange(
        expected: due, desired: next, ordering: .relaxed)
      if isExchanged { return true }
      due = current
    }
  }

  /// Returns the places of a table that the client holds.
  public func held(_ table: Ledger.Table) -> Int { held.add(0, to: table) }
}

extension Account: Hashable {
  /// Returns whether both are the same account.
  public static func == (one: Account, other: Account) -> Bool { one === other }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
