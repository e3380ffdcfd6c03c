internal import ReactorLog

/// The fork of a session at a version.
struct SessionFork: Sendable {
  let store: NATSStore
  let source: SessionKey
  let version: Int
  let target: SessionKey
  let epoch: String
  /// The parameters of the new session; `nil` for those of the source.
  let parameters: [UInt8]?

  /// Copies the snapshots, before the message that makes the fork visible.
  ///
  /// - Returns: Makes that message.
  func prepare() async throws(LogError) -> @Sendable (SessionHead) -> NATSSessionLog.Decision {
    guard try await store.history(of: target).head(isComplete: false).status != .stored else {
      throw .conflict
    }
    let history = store.history(of: source)
    let head = try await history.head()
    guard version <= head.version else {
      throw .corrupt("The session \(source) has no version \(version).")
    }
    let origin = try await history.origin(of: head, at: version)
    let globals = try await history.globals(of: head, at: version)
    if parameters == nil { try await copySnapshots(of: head) }
    let inherited = parameters ?? head.parameters
    return { [epoch] target in
      guard target.status != .stored else { return .reject(.conflict) }
      return .write(
        target.creating(
          epoch, parameters: inherited, from: origin, globals: globals.globalsOnly, now: .now))
    }
  }

  private func copySnapshots(of head: SessionHead) async throws(LogError) {
    guard head.status == .stored else { return }
    let target = store.snapshots(of: target)
    var earlier: [SnapshotRecord.Earlier] = []
    for snapshot in try await store.snapshots(of: source).all(of: head.epoch, upTo: version) {
      earlier = try await target.save(snapshot, of: epoch, after: earlier)
    }
  }
}
