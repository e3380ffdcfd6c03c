internal import NATSClient
internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

extension StreamReader {
  /// The result of a read from a leader that may be behind.
  enum LeaderRead<Value: Sendable>: Sendable {
    case found(Value)
    /// The leader does not have the message; `at` is its last sequence in the stream, or for the message's subject.
    case behind(at: Int)
  }

  /// Repeats a read while the leader of the stream lacks a message.
  ///
  /// A new leader may not have applied all messages of the former leader yet. A leader that remains behind is
  /// requested to step down.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - sequence: The sequence of a message that the stream has confirmed.
  ///   - read: The read.
  /// - Returns: The result of the read.
  /// - Throws: If a read fails, or the leader is still behind after `cluster.wait`.
  func waitForLeader<Value: Sendable>(
    of stream: String, having sequence: Int,
    _ read: () async throws(LogError) -> LeaderRead<Value>
  ) async throws(LogError) -> Value {
    let start = Clock.milliseconds
    while true {
      switch try await read() {
      case .found(let value): return value
      case .behind(let last):
        leader(of: stream, isBehindSince: start, lacking: sequence, after: last)
      }
      guard Clock.milliseconds - start < engine.wait else {
        throw .unavailable("The leader of \(stream) does not have the message \(sequence) yet.")
      }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Requests that a leader without a confirmed message steps down, unless it fell behind only recently.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - start: When the read or append first found the leader behind, in milliseconds.
  ///   - sequence: The sequence of the message.
  ///   - last: The last sequence of the leader, of the stream or of the message's subject.
  func leader(
    of stream: String, isBehindSince start: Int64, lacking sequence: Int, after last: Int
  ) {
    let now = Clock.milliseconds
    guard
      engine.demotions.withLock({ $0.shouldRequest(stream, behindSince: start, at: now) })
    else { return }
    requestDemotion(of: stream, lacking: sequence, after: last)
  }

  /// Requests that a leader steps down if it rejects a message because of its id without having the
  /// message, unless it began to do so only recently.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - start: When the append was first rejected because of its id, in milliseconds.
  ///   - sequence: The sequence that the message expects.
  func leader(of stream: String, keepsIDSince start: Int64, after sequence: Int) {
    let now = Clock.milliseconds
    guard
      engine.demotions.withLock({ $0.shouldRequest(stream, behindSince: start, at: now) })
    else { return }
    requestDemotion(
      of: stream,
      "the leader of a stream keeps the id of a dropped message and gets a request to step down",
      ["expected": "\(sequence)"])
  }

  /// Requests that a leader steps down whose message at a sequence is not the one that the log refers to.
  func leader(of stream: String, differsAt sequence: Int) {
    let now = Clock.milliseconds
    guard
      engine.demotions.withLock({ $0.shouldRequest(differing: stream, at: now) })
    else { return }
    requestDemotion(of: stream, lacking: sequence, after: nil)
  }

  private func requestDemotion(of stream: String, lacking sequence: Int, after last: Int?) {
    requestDemotion(
      of: stream, "the leader of a stream lacks messages and gets a request to step down",
      ["last": last.map { "\($0)" } ?? "later", "missing": "\(sequence)"])
  }

  private func requestDemotion(
    of stream: String, _ message: String, _ fields: KeyValuePairs<String, String>
  ) {
    engine.counters.demotions.add()
    engine.logger.adding(["stream": stream]).warning(message, fields)
    // Sent once, and no reply is needed: the next read shows whether there is another leader.
    try? engine.connection.publish(
      [], to: "$JS.API.STREAM.LEADER.STEPDOWN.\(stream)", reply: "_INBOX.\(stream)")
  }

  /// Whether a read may have failed because the end of the log that it follows is outdated.
  ///
  /// An anchor can have replaced the messages that the end names. If the read has waited for a
  /// leader for `cluster.wait`, it has failed because of the leader instead.
  ///
  /// - Parameters:
  ///   - error: The error of the read.
  ///   - start: When the read began, in milliseconds.
  /// - Returns: Whether to read the end of the log again.
  func mayBeOutdated(_ error: LogError, since start: Int64) -> Bool {
    switch error {
    case .corrupt: true
    case .unavailable: Clock.milliseconds - start < engine.wait
    case .lost, .full, .unknown, .tooLarge, .unreadable: false
    }
  }
}
