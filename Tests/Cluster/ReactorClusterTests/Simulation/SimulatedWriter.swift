import ReactorCluster
import ReactorLog

/// The writer of one session: the decisions of the table in the documentation of the fence.
///
/// At most one batch is in flight.
final class SimulatedWriter {
  enum Result: Equatable {
    case committed
    /// Nothing is stored: another writer was first.
    case lost(to: NodeID?)
    /// Nothing is stored, and nothing will be: a void message has taken the batch's place.
    case voided
    case unknown

    var name: String {
      switch self {
      case .committed: "committed"
      case .lost: "lost"
      case .voided: "voided"
      case .unknown: "unknown"
      }
    }
  }

  static let repetition: Milliseconds = 250
  static let wait: Milliseconds = 3_000

  private let key: SessionKey
  private unowned let node: SimulatedNode
  /// The sequence of the session's last message.
  private(set) var end: Int
  private var batch: SimulatedLog.Batch?
  private var completion: ((Result) -> Void)?
  private var startedAt: Milliseconds = 0
  private var isVoiding = false

  init(_ key: SessionKey, end: Int, node: SimulatedNode) {
    self.key = key
    self.end = end
    self.node = node
  }

  func append(_ entries: [SimulatedLog.Entry], completion: @escaping (Result) -> Void) {
    let batch = SimulatedLog.Batch(
      writer: node.machine.node, count: node.nextCount(), expected: end, entries: entries)
    self.batch = batch
    self.completion = completion
    startedAt = node.queue.now
    isVoiding = false
    send(batch)
  }

  private func send(_ batch: SimulatedLog.Batch) {
    guard self.batch == batch || self.batch != nil && batch.isVoid else { return }
    if !node.isCut {
      node.simulation.log.append(batch, to: key) { [self] reply in
        node.perform { [self] in received(reply, to: batch) }
      }
    }
    node.after(Self.repetition) { [self] in repeatOrVoid(batch) }
  }

  private func repeatOrVoid(_ sent: SimulatedLog.Batch) {
    guard let batch, batch.count == sent.count else { return }
    let waited = node.queue.now - startedAt
    if waited >= 2 * Self.wait { return finish(.unknown) }
    guard waited >= Self.wait, !isVoiding else { return isVoiding == sent.isVoid ? send(sent) : () }
    isVoiding = true
    var void = batch
    void.isVoid = true
    send(void)
  }

  private func received(_ reply: SimulatedLog.Reply, to sent: SimulatedLog.Batch) {
    guard let batch, batch.count == sent.count else { return }
    switch reply {
    case .stored(let sequence): stored(sent, at: sequence)
    case .duplicate(let sequence): examine { $0.first { $0.sequence == sequence } }
    case .wrongLast(let last) where last > batch.expected:
      if node.simulation.settings.readsOnlyTheLast {
        examine { $0.last }
      } else {
        examine { $0.first { $0.sequence > batch.expected } }
      }
    case .wrongLast: break  // the leader is behind; the repetition follows
    }
  }

  /// Reads the message that has taken the place of the batch.
  private func examine(
    _ select: @escaping ([SimulatedLog.Message]) -> SimulatedLog.Message?
  ) {
    guard let examined = batch else { return }
    node.read(key) { [self] messages in
      guard let batch, batch.count == examined.count, let found = select(messages) else { return }
      let own = found.batch.writer == batch.writer && found.batch.count == batch.count
      own ? stored(found.batch, at: found.sequence) : finish(.lost(to: found.batch.writer))
    }
  }

  private func stored(_ stored: SimulatedLog.Batch, at sequence: Int) {
    end = sequence
    finish(stored.isVoid ? .voided : .committed)
  }

  private func finish(_ result: Result) {
    let done = completion
    batch = nil
    completion = nil
    done?(result)
  }
}
