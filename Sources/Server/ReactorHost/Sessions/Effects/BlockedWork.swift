internal import ReactorCore
internal import ReactorLog
internal import Synchronization

/// The stored work of one reactor that this release cannot decode, as far as this process knows it.
///
/// The work stays in the log until a release decodes it, or a client removes it.
final class BlockedWork: Sendable {
  enum Kind: String, CaseIterable {
    /// A request of the journal, by its number.
    case action

    /// A timer that was due, by its id.
    case timer

    /// A session that cannot be folded.
    case session

    /// The change with which a release reads the work.
    var remedy: String {
      switch self {
      case .action: UnreadableReason.remedy(for: .action)
      case .timer: UnreadableReason.remedy(for: .timer)
      case .session:
        """
        convert its mutations with upgradeMutation or its snapshot with upgradeState, or add a default of \
        the new member
        """
      }
    }
  }

  struct Item: Hashable, Sendable {
    let kind: Kind
    var id = ""
  }

  private struct State {
    var items: [String: [Item: FailedEffect?]] = [:]
    var counts: [Kind: Int] = [:]
    var total = 0
    /// The number of items whose description is retained.
    var listed = 0

    mutating func remove(_ item: Item, of session: String) {
      guard let removed = items[session]?.removeValue(forKey: item) else { return }
      if items[session]?.isEmpty == true { items[session] = nil }
      counts[item.kind, default: 0] -= 1
      total -= 1
      if removed != nil { listed -= 1 }
    }
  }

  /// The maximum number of items; further ones are blocked, but neither counted nor logged.
  static let limit = 10_000

  /// The maximum number of items whose descriptions are retained for clients.
  static let listLimit = 100

  private let state = Mutex(State())
  private let isEmpty = Atomic<Bool>(true)

  /// Adds an item.
  ///
  /// - Returns: Whether it is new.
  func add(_ item: Item, of session: String, _ description: FailedEffect) -> Bool {
    state.withLock { state in
      guard state.total < Self.limit, state.items[session]?[item] == nil else { return false }
      let isListed = state.listed < Self.listLimit
      state.items[session, default: [:]].updateValue(isListed ? description : nil, forKey: item)
      state.counts[item.kind, default: 0] += 1
      state.total += 1
      if isListed { state.listed += 1 }
      isEmpty.store(false, ordering: .releasing)
      return true
    }
  }

  /// Removes an item that was removed from the log, or decoded.
  func remove(_ item: Item, of session: String) {
    change { $0.remove(item, of: session) }
  }

  /// Removes the items of a session that has ended.
  func removeAll(of session: String) {
    change { state in
      for item in state.items[session, default: [:]].keys { state.remove(item, of: session) }
    }
  }

  /// Returns whether an item is blocked.
  ///
  /// Costs a load while no item is.
  func contains(_ item: Item, of session: String) -> Bool {
    guard !isEmpty.load(ordering: .acquiring) else { return false }
    return state.withLock { $0.items[session]?[item] != nil }
  }

  /// The descriptions for clients, the latest first.
  var latest: [FailedEffect] {
    state.withLock { $0.items.values.flatMap { $0.values.compactMap { $0 } } }
      .sorted { $0.time.milliseconds > $1.time.milliseconds }
  }

  /// Returns the number of items of a kind.
  func count(of kind: Kind) -> Int {
    state.withLock { $0.counts[kind, default: 0] }
  }

  private func change(_ body: (inout State) -> Void) {
    guard !isEmpty.load(ordering: .acquiring) else { return }
    state.withLock { state in
      body(&state)
      isEmpty.store(state.total == 0, ordering: .releasing)
    }
  }
}

extension ReactorEnvironment {
  /// Records that stored work cannot be decoded, and logs it when it is new.
  ///
  /// - Parameters:
  ///   - item: The work.
  ///   - key: Its session.
  ///   - action: Its action, as JSON, or `nil` for a session.
  ///   - principal: The id of the principal whose request caused it.
  ///   - error: The error of the decoding.
  func block(
    _ item: BlockedWork.Item, of key: SessionKey, action: [UInt8]?, by principal: String? = nil,
    _ error: any Error
  ) {
    let description = FailedEffect(
      session: key.id, action: action.flatMap { $0.count > FailedEffect.actionLimit ? nil : $0 },
      principal: principal, time: .now,
      failure: ActionFailure(index: nil, UnreadableWorkError(kind: item.kind)),
      blocked: item.kind == .timer ? .timer(item.id) : .effect(item.id))
    guard blocked.add(item, of: key.id, description) else { return }
    let place = item.id.isEmpty ? [] : [(item.kind == .timer ? "timer" : "effect", item.id)]
    let content = action.map { [("action", String(decoding: $0, as: UTF8.self))] } ?? []
    logger.log(
      .error,
      item.kind == .session
        ? "session cannot be read by this release" : "stored action cannot be read by this release",
      fields: [("reactor", key.reactor), ("session", key.id)] + place + content + [
        ("reason", UnreadableReason.text(of: error)),
        ("remedy", item.kind.remedy),
      ])
  }
}

/// The error that clients get for stored work that this release cannot decode.
private struct UnreadableWorkError: ActionError {
  let kind: BlockedWork.Kind

  var status: Int { 503 }
  var title: String { "Not readable by this release" }

  var detail: String? {
    kind == .session
      ? "The session waits for a release of its reactor that can read it, or for its deletion."
      : "The stored action waits for a release of its reactor that can read it, or for its removal."
  }
}
