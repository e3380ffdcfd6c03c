internal import ReactorHost
internal import Synchronization

/// Lets each client send so many requests a second.
///
/// A client that was silent may send a second's worth at once. The table is bounded: who has sent
/// nothing for a second is not in it, and when more clients than there is room for are busy at the
/// same time, some of them are forgotten and begin anew.
final class RateLimiter: Sendable {
  /// What a client is told of its limit.
  struct Verdict {
    let isAllowed: Bool
    /// How many requests it could send now.
    let remaining: Int
    /// The time until it may send the next one where it may not, or until it has everything again.
    let wait: Duration
  }

  /// When a client's requests so far are paid for: nothing but that is kept.
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
  private let refused = Counter()

  /// Makes a limiter.
  ///
  /// - Parameters:
  ///   - limit: How many requests each client may send a second.
  ///   - clients: How many clients are known at most.
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
    let due = shard(of: client).table.withLock { table -> (paid: Int64, isAllowed: Bool) in
      let paid = max(table.due[client] ?? now, now)
      guard paid - now + interval <= Self.window else { return (paid, false) }
      if table.due[client] == nil { makeRoom(in: &table, at: now) }
      table.due[client] = paid + interval
      return (paid + interval, true)
    }
    if !due.isAllowed { refused.add() }
    let used = due.paid - now
    return Verdict(
      isAllowed: due.isAllowed, remaining: Int(max(0, Self.window - used) / interval),
      wait: .nanoseconds(due.isAllowed ? used : used + interval - Self.window))
  }

  /// How many clients are known.
  var clientCount: Int {
    shards.reduce(0) { $0 + $1.table.withLock { $0.due.count } }
  }

  private func makeRoom(in table: inout Table, at now: Int64) {
    guard table.due.count >= room else { return }
    // At most once in the time after which an entry says nothing any more.
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
  /// What every answer tells of the limit (draft-ietf-httpapi-ratelimit-headers).
  func headers(limit: Int) -> HTTPFields {
    [
      "RateLimit-Policy": "\"address\";q=\(limit);w=1",
      "RateLimit": "\"address\";r=\(remaining);t=\(wait.roundedUpSeconds)",
    ]
  }
}

extension Duration {
  /// Whole seconds, and one more for what is left.
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
      "reactord_rate_limited_total", .counter, "Requests that were refused as too many.")
    text.sample(refused.value)
  }
}
