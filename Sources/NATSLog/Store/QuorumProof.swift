internal import ReactorLog
internal import Synchronization
internal import SystemThreads

/// Proves that the brokers confirm writes of this process: it writes to LIVE once per second.
final class QuorumProof: Sendable {
  /// How long a proof is valid: longer than an election of the brokers, in milliseconds.
  static let validity: Int64 = 12_000

  private let engine: LogEngine
  private let subject: String
  private let last: Atomic<Int64>

  init(_ engine: LogEngine, _ names: StoreNames) {
    self.engine = engine
    subject = "\(names.prefix).v.\(StoreNames.escaped(engine.writer.name))"
    last = Atomic(Clock.milliseconds)
  }

  /// The age of the last proof, in milliseconds.
  var age: Int64 { Clock.milliseconds - last.load(ordering: .relaxed) }

  /// Whether the last proof is valid.
  var isValid: Bool { age < Self.validity }

  /// Writes until the object is released.
  func start(on executor: LogExecutor) {
    executor.detach { [weak self] in
      while true {
        guard let self else { return }
        await write()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  private func write() async {
    try? await renew(within: 1_000)
  }

  /// Writes now, and waits until the brokers have confirmed it.
  ///
  /// - Parameter time: How long to wait, in milliseconds; `nil` is `cluster.wait`.
  /// - Throws: If the brokers do not confirm it in time.
  func renew(within time: Int64? = nil) async throws(LogError) {
    let start = Clock.milliseconds
    let payload = Array(engine.writer.description.utf8)
    let reply = try await engine.request(payload, to: subject, within: time)
    guard case .stored = AppendReply(reply) else {
      throw .unavailable("The brokers do not confirm writes.")
    }
    last.store(start, ordering: .relaxed)
  }
}
