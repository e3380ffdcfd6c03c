internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// The fold of one type of reactor.
final class ReactorFold<R: Reactor>: SessionFold
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  private struct Folded: Sendable {
    var state: R.State
    var version: Int
  }

  private let type: ReactorType<R>
  private let make: @Sendable () -> R
  private let folded: Mutex<Folded>

  /// Begins a fold with a snapshot, or with the initial State.
  ///
  /// - Throws: If the snapshot cannot be decoded.
  init(
    _ type: ReactorType<R>, from snapshot: Snapshot?, _ make: @escaping @Sendable () -> R
  ) throws {
    self.type = type
    self.make = make
    let state = try snapshot.map { try type.decode($0) } ?? make().initialState
    folded = Mutex(Folded(state: state, version: snapshot?.version ?? 0))
  }

  var version: Int { folded.withLock { $0.version } }

  var state: any Sendable { folded.withLock { $0.state } }

  func fold(_ entries: some Sequence<LogEntry>) throws {
    // Fold outside of the lock: `reduce` is code of the reactor.
    var next = folded.withLock { $0 }
    let reactor = make()
    for entry in entries {
      next.state = reactor.reduce(state: next.state, mutation: try type.decode(entry))
      next.version = entry.version
    }
    folded.withLock { $0 = next }
  }

  func encodeShown() throws -> [UInt8] {
    try type.encode(type.show(folded.withLock { $0.state }, make))
  }
}
