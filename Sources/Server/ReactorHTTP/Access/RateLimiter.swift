internal import ReactorTransport
internal import Synchronization
internal import Telemetry

/// Limits the requests per second of each client.
///
/// A client that was idle may send one second's quota in one burst. The table is bounded: clients
/// leave it after one idle second; if more clients are active than it holds, some of them are
/// removed and start with a full quota.
final class RateLimiter: Sendable {
  /// The decision on one request.
  struct Verdict {
    let isAllowed: Bool
    /// The number of requests that the client can send now.
    let remaining: Int
    /// The time until the next request is allowed, or until the quota is full again.
    let wait: Duration
  }

  /// For each client the time at which its quota is full again, in nanoseconds.
  private struct Table {
    var due: [ClientAddress: Int64] = [:]
    var sweptAt: Int64 = 0
  }

  private final class Shard: Sendable {
    let table = Mutex(Table())
  }

  static let shardCount = 16
  static let window: Int64 = 1_000_000_000

  let limit: Int
  private let interval: Int64
  private let room: Int
  private let start = ContinuousClock.now
  private let shards = (0..<shardCount).map { _ in Shard() }
  private let rejected = Counter()

  /// Creates a limiter.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of requests per second and client.
  ///   - clients: The maximum number of clients in the table.
  init(limit: Int, clients: Int = 65_536) {
    self.limit = limit
    interval = Self.window / Int64(limit)
    room = max(1, clients / Self.shardCount)
  }

  /// Counts a request of a client.
  func admit(_ client: ClientAddress) -> Verdict {
    admit(client, at: (ContinuousClock.now - start).nanoseconds)
  }

  /// Counts a request of a client at a time in nanoseconds.
  func admit(_ client: ClientAddress, at now: Int64) -> Verdict {
    let client = client.network
    let due = shard(of: client).table.withLock { table -> (full: Int64, isAllowed: Bool) in
      let full = max(table.due[client] ?? now, now)
      guard full - now + interval <= Self.window else { return (full, false) }
      if table.due[client] == nil { makeRoom(in: &table, at: now) }
      table.due[client] = full + interval
      return (full + interval, true)
    }
    if !due.isAllowed { rejected.add() }
    let used = due.full - now
    return Verdict(
      isAllowed: due.isAllowed, remaining: Int(max(0, Self.window - used) / interval),
      wait: .nanoseconds(due.isAllowed ? used : used + interval - Self.window))
  }

  /// Returns whether a client may send a request, without counting one.
  func hasRoom(for client: ClientAddress) -> Bool {
    let client = client.network
    let now = (ContinuousClock.now - start).nanoseconds
    let full = shard(of: client).table.withLock { $0.due[client] } ?? now
    return max(full, now) - now + interval <= Self.window
  }

  /// The number of clients in the table.
  var clientCount: Int {
    shards.reduce(0) { $0 + $1.table.withLock { $0.due.count } }
  }

  private func makeRoom(in table: inout Table, at now: Int64) {
    guard table.due.count >= room else { return }
    // Sweep at most once per window: after an idle window, the quota of an entry is full again.
    if now - table.sweptAt >= Self.window {
      table.due = table.due.filter { $0.value > now }
      table.sweptAt = now
    }
    if table.due.count >= room { table.due.remove(at: table.due.startIndex) }
  }

  private func shard(of client: ClientAddress) -> Shard {
    shards[Int(UInt(bitPattern: client.hashValue) % UInt(shards.count))]
  }
}

extension RateLimiter.Verdict {
  /// Returns the fields of every response (draft-ietf-httpapi-ratelimit-headers).
  func headers(limit: Int) -> HTTPFields {
    [
      "RateLimit-Policy": "\"address\";q=\(limit);w=1",
      "RateLimit": "\"address\";r=\(remaining);t=\(wait.roundedUpSeconds)",
    ]
  }
}

extension Duration {
  /// Seconds, rounded up.
  fileprivate var roundedUpSeconds: Int64 {
    components.seconds + (components.attoseconds > 0 ? 1 : 0)
  }

  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}

extension RateLimiter: MetricsSource {
  func write(to text: inout MetricsText) {
    text.family(
      "reactord_rate_limited_total", .counter, "Requests over the rate limit.", rejected.value)
  }
}
