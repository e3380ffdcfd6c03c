internal import ReactorLog
internal import Synchronization

/// The entries of META that name a session with unfinished actions or timers.
///
/// A mark is written before the message that needs it, and removed five seconds after a message no
/// longer needs it, so that a session with frequent effects does not write a mark for each of them.
final class SessionMarks: Sendable {
  private struct Mark {
    /// Whether META has the mark, as far as known.
    var exists = false
    /// The sequence of the mark, or `nil` if it is not known.
    var sequence: Int?
    var isRemovalPlanned = false
  }

  /// The reason for a mark, by the letter of the subject.
  private enum Kind: Character, CaseIterable {
    case work = "w"
    case timers = "t"

    func isNeeded(unfinished: Int, timers: Int) -> Bool {
      self == .work ? unfinished > 0 : timers > 0
    }
  }

  private let key: SessionKey
  private let store: NATSStore
  private let marks = Mutex<[Kind: Mark]>([:])

  init(_ key: SessionKey, in store: NATSStore) {
    self.key = key
    self.store = store
  }

  /// The end of the log was read.
  func didRead(_ head: SessionHead) {
    for kind in Kind.allCases
    where kind.isNeeded(unfinished: head.unfinished, timers: head.timers) {
      marks.withLock { $0[kind, default: Mark()].exists = true }
    }
  }

  /// Whether a message needs a mark that does not exist.
  func lacks(for message: LogMessage) -> Bool { !missing(for: message).isEmpty }

  private func missing(for message: LogMessage) -> [Kind] {
    guard message.unfinished > 0 || message.timers > 0 else { return [] }
    return marks.withLock { marks in
      Kind.allCases.filter { kind in
        kind.isNeeded(unfinished: message.unfinished, timers: message.timers)
          && marks[kind]?.exists != true
      }
    }
  }

  /// Adds the marks that a message needs.
  func add(for message: LogMessage) async throws(LogError) {
    for kind in missing(for: message) {
      let reply = AppendReply(
        try await store.engine.request(Array("1".utf8), to: subject(kind)))
      switch reply {
      case .stored(let sequence, _):
        marks.withLock { marks in
          marks[kind, default: Mark()].exists = true
          marks[kind, default: Mark()].sequence = sequence
        }
      case .full: throw .full
      default: throw .unavailable("The brokers reject a mark: \(reply)")
      }
    }
  }

  /// A message was appended: plans the removal of marks that the session no longer needs.
  ///
  /// - Parameters:
  ///   - head: The end of the log.
  ///   - remove: Executes the removal between two writes of the session.
  func didAppend(
    _ head: SessionHead,
    remove: @escaping @Sendable (_ removal: @escaping @Sendable () async -> Void) -> Void
  ) {
    for kind in Kind.allCases
    where !kind.isNeeded(unfinished: head.unfinished, timers: head.timers) {
      let isPlanned = marks.withLock { marks -> Bool in
        guard let mark = marks[kind], mark.exists, !mark.isRemovalPlanned else { return false }
        marks[kind]?.isRemovalPlanned = true
        return true
      }
      guard isPlanned else { continue }
      store.executor.detach { [self] in
        try? await Task.sleep(for: .seconds(5))
        remove { [self] in await removeIfUseless(kind) }
      }
    }
  }

  /// Removes a mark, unless the session has unfinished actions or timers again.
  private func removeIfUseless(_ kind: Kind) async {
    marks.withLock { $0[kind]?.isRemovalPlanned = false }
    guard let head = try? await store.history(of: key).head(isComplete: false),
      !kind.isNeeded(unfinished: head.unfinished, timers: head.timers)
    else { return }
    var sequence = marks.withLock { $0[kind]?.sequence }
    if sequence == nil {
      sequence = try? await store.reader.last(subject(kind), in: store.names.meta)?.sequence
    }
    guard let sequence else { return }
    marks.withLock { $0[kind] = nil }
    try? await store.reader.delete(sequence, in: store.names.meta)
  }

  private func subject(_ kind: Kind) -> String { store.names.mark(kind.rawValue, key) }
}
