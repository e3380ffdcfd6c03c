internal import ReactorCoding
internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// The fold of one type of reactor, by one instance.
final class ReactorFold<R: Reactor>: SessionFold
where R.Action: Codable, R.Mutation: Codable, R.State: Codable {
  private struct Folded: Sendable {
    var state: R.State
    var version: Int
  }

  private let type: ReactorType<R>
  // Proof: one thread at a time uses a fold, see `SessionFold`. The thread that passes the fold to
  // another one does so through the completion of a read or a queue, which orders their accesses.
  nonisolated(unsafe) private let instance: FoldingInstance<R>
  private let folded: Mutex<Folded>

  /// Begins a fold with a snapshot, or with the initial State.
  ///
  /// - Throws: If the snapshot cannot be decoded.
  init(_ type: ReactorType<R>, from snapshot: Snapshot?, _ reactor: R) throws {
    self.type = type
    let state = try snapshot.map { try type.decode($0) { reactor } } ?? reactor.initialState
    folded = Mutex(Folded(state: state, version: snapshot?.version ?? 0))
    unsafe instance = FoldingInstance(reactor)
  }

  var version: Int { folded.withLock { $0.version } }

  var state: any Sendable { folded.withLock { $0.state } }

  func fold(_ entries: some Sequence<LogEntry>) throws {
    // Fold outside of the lock: `reduce` is code of the reactor.
    var next = folded.withLock { $0 }
    try FoldingInstance<R>.withoutRequest {
      for entry in entries {
        next.state = unsafe instance.reduce(next.state, try type.decode(entry))
        next.version = entry.version
      }
    }
    folded.withLock { $0 = next }
  }

  func encodeShown() throws -> [UInt8] {
    let state = folded.withLock { $0.state }
    return try FoldingInstance<R>.withoutRequest { try type.encode(unsafe instance.shown(state)) }
  }
}
