internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// Work that one process at a time should do: a record in LIVE, which its holder renews.
///
/// It only saves work: a process that was paused may act on a lease that another one has acquired.
final class Lease: Sendable {
  /// The time between two renewals, in milliseconds.
  private static let interval: Int64 = 1_000
  /// The time without a renewal after which another process takes the lease, in milliseconds.
  private static let patience: Int64 = 4_000

  private struct State {
    /// The sequence of the last record that was read, and the time at which it was first read, in
    /// milliseconds.
    var sequence = 0
    var seenAt: Int64 = 0
    var renewedAt: Int64 = .min
  }

  private let reader: StreamReader
  private let subject: String
  private let stream: String
  private let holder: [UInt8]
  private let state = Mutex(State())

  init(_ name: String, _ reader: StreamReader, _ names: StoreNames) {
    self.reader = reader
    // The subject of a lease differs from those of all nodes: no escaped name of a node is `~NAME`.
    subject = "\(names.prefix).v.~\(name)"
    stream = "\(names.prefix)-LIVE"
    holder = Array(reader.engine.writer.description.utf8)
  }

  /// Whether this process has renewed the lease lately.
  var isHeld: Bool {
    let now = Clock.milliseconds
    return state.withLock { $0.renewedAt > now - Self.patience }
  }

  /// Whether this process holds the lease: renews it, or takes it if nothing renews it.
  func hold() async -> Bool {
    let now = Clock.milliseconds
    if state.withLock({ $0.renewedAt > now - Self.interval }) { return true }
    guard let current = try? await found() else { return false }
    let isFree = state.withLock { state in
      if current.sequence != state.sequence {
        (state.sequence, state.seenAt) = (current.sequence, now)
      }
      return current.isOwn || current.sequence == 0 || now - state.seenAt > Self.patience
    }
    guard isFree,
      let reply = try? await reader.engine.request(
        holder, to: subject,
        headers: [("Nats-Expected-Last-Subject-Sequence", "\(current.sequence)")], within: 2_000),
      case .stored = AppendReply(reply)
    else { return false }
    state.withLock { $0.renewedAt = now }
    return true
  }

  /// The name of the node: the record without the random value of the process.
  private func name(_ record: [UInt8]) -> ArraySlice<UInt8> {
    record[..<(record.lastIndex(of: UInt8(ascii: ".")) ?? record.endIndex)]
  }

  /// The current record; sequence 0 if there is none.
  private func found() async throws(LogError) -> (sequence: Int, isOwn: Bool) {
    guard let message = try await reader.last(subject, in: stream) else { return (0, false) }
    // A record with the name of this node is that of its previous process. If two running processes
    // have the same name, both hold the lease.
    let isOwn = name(message.payload) == name(holder)
    return (message.sequence, isOwn)
  }
}
