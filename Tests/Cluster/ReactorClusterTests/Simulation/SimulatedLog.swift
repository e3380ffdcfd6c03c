import ReactorCluster
import ReactorLog
import TestSupport

/// The messages of all sessions, with the anomalies of a replicated stream.
///
/// The leader compares the expected sequence before it proposes a message, so that two messages which
/// are in flight together both pass. The message id is compared when the message is applied. Appends and
/// replies are late, lost and repeated; a leader may be behind.
final class SimulatedLog {
  struct Entry: Equatable {
    let payload: UInt64
    let number: RequestNumber?
  }

  /// The bytes that a writer appends, and repeats unchanged.
  struct Batch: Equatable {
    let writer: NodeID
    let count: Int
    /// The sequence of the session's last message, and the message id.
    let expected: Int
    let entries: [Entry]
    var isVoid = false
  }

  struct Message {
    let sequence: Int
    let batch: Batch
  }

  enum Reply {
    case stored(Int)
    case duplicate(Int)
    case wrongLast(Int)
  }

  private(set) var messages: [SessionKey: [Message]] = [:]
  /// Whether stored message ids are compared; `false` is a deliberate error.
  let comparesMessageIDs: Bool
  /// The end of an election, during which nothing is proposed or read.
  var electionEnd: Milliseconds = 0
  var hasFaults = true
  private var lastSequence = 0
  private var lastApplication: Milliseconds = 0
  private let queue: EventQueue
  private var random: SplitMix64

  init(queue: EventQueue, random: SplitMix64, comparesMessageIDs: Bool) {
    self.queue = queue
    self.random = random
    self.comparesMessageIDs = comparesMessageIDs
  }

  private func happens(_ percent: UInt64) -> Bool {
    hasFaults && random.happens(percent)
  }

  // MARK: Appending

  func append(_ batch: Batch, to key: SessionKey, reply: @escaping (Reply) -> Void) {
    deliver(batch, to: key, after: delay(), reply)
    if happens(4) { deliver(batch, to: key, after: random.next(in: 100...4000), reply) }
  }

  private func delay() -> Milliseconds {
    happens(4) ? random.next(in: 50...3000) : random.next(in: 1...8)
  }

  private func deliver(
    _ batch: Batch, to key: SessionKey, after delay: Milliseconds,
    _ reply: @escaping (Reply) -> Void
  ) {
    guard !happens(3) else { return }
    queue.schedule(after: delay) { [self] in propose(batch, to: key, reply) }
  }

  private func propose(
    _ batch: Batch, to key: SessionKey, _ reply: @escaping (Reply) -> Void
  ) {
    guard queue.now >= electionEnd else { return }
    let stored = messages[key] ?? []
    let isBehind = happens(2)
    let last = (isBehind ? stored.dropLast().last : stored.last)?.sequence ?? 0
    guard last == batch.expected else { return send(.wrongLast(last), reply) }
    // Proposals are applied in their order.
    lastApplication = max(lastApplication, queue.now + random.next(in: 1...12))
    queue.schedule(after: lastApplication - queue.now) { [self] in apply(batch, to: key, reply) }
  }

  private func apply(
    _ batch: Batch, to key: SessionKey, _ reply: @escaping (Reply) -> Void
  ) {
    if comparesMessageIDs,
      let stored = messages[key]?.first(where: { $0.batch.expected == batch.expected })
    {
      return send(.duplicate(stored.sequence), reply)
    }
    lastSequence += 1
    messages[key, default: []].append(Message(sequence: lastSequence, batch: batch))
    send(.stored(lastSequence), reply)
  }

  private func send(_ result: Reply, _ reply: @escaping (Reply) -> Void) {
    for _ in 0..<(happens(5) ? 2 : 1) where !happens(5) {
      queue.schedule(after: delay()) { reply(result) }
    }
  }

  // MARK: The global

  private(set) var global = 0

  /// Stores the next value of the global; one writer follows the other.
  func setGlobal(_ completion: @escaping (Int) -> Void) {
    whenLed { [self] in
      global += 1
      let value = global
      queue.schedule(after: random.next(in: 1...10)) { completion(value) }
    }
  }

  func readGlobal(_ completion: @escaping (Int) -> Void) {
    whenLed { [self] in
      let value = global
      queue.schedule(after: random.next(in: 1...10)) { completion(value) }
    }
  }

  private func whenLed(_ body: @escaping () -> Void) {
    queue.schedule(after: random.next(in: 1...10)) { [self] in
      queue.now >= electionEnd ? body() : queue.schedule(after: 100) { [self] in whenLed(body) }
    }
  }

  // MARK: Reading from the leader

  func read(_ key: SessionKey, completion: @escaping ([Message]) -> Void) {
    queue.schedule(after: random.next(in: 1...10)) { [self] in
      guard queue.now >= electionEnd else {
        return queue.schedule(after: 100) { [self] in read(key, completion: completion) }
      }
      let result = messages[key] ?? []
      queue.schedule(after: random.next(in: 1...10)) { completion(result) }
    }
  }
}
