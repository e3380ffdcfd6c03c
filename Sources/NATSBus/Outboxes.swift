internal import Synchronization

/// The outboxes to other processes, by a key.
final class Outboxes<Key: Hashable & Sendable>: Sendable {
  /// The number of outboxes at which idle ones are removed.
  private static var bound: Int { 64 }

  private let outboxes = Mutex<[Key: Outbox]>([:])

  /// The outbox of a key; a missing one is created.
  func outbox(_ key: Key, create: () -> Outbox) -> Outbox {
    outboxes.withLock { outboxes in
      if let outbox = outboxes[key] { return outbox }
      // Each incarnation of a node has its own outbox: remove those that are idle.
      if outboxes.count >= Self.bound { outboxes = outboxes.filter { !$0.value.isIdle } }
      let outbox = create()
      outboxes[key] = outbox
      return outbox
    }
  }
}
