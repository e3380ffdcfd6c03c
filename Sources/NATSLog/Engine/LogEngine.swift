internal import NATSClient
internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// Executes appends and requests, and repeats them, as ``AppendMachine`` decides.
///
/// A caller publishes its own message. Outcomes are delivered on the thread of the subscription to
/// the replies, the engine's own thread, the queue of reads, or the calling thread: completions
/// must not block.
final class LogEngine: Sendable {
  /// The maximum number of appends without an outcome.
  static let appendBound = 65_536

  let connection: NATSConnection
  let counters: LogCounters
  let logger: Logger
  /// This process as a writer.
  let writer: Writer
  /// `cluster.wait`, in milliseconds.
  let wait: Int64

  /// The gates of the reads by sequence, by the names of the streams: reads of a stream without a
  /// leader do not delay those of other streams.
  private let reads = Mutex<[String: ReadGate]>([:])

  /// The requests to leaders to step down.
  let demotions = Mutex(LeaderDemotions())

  private let core: EngineCore
  private let replies: NATSReplies
  private let numbers = Atomic<UInt64>(0)
  /// The time since which the connection is interrupted; `Int64.max` while it is not.
  private let interruptedSince = Atomic<Int64>(.max)

  /// Starts the thread.
  init(
    _ connection: NATSConnection, writer: Writer, prefix: String, wait: Int64,
    counters: LogCounters, logger: Logger
  ) throws(NATSLogError) {
    guard let waker = Waker() else { throw NATSLogError("no descriptors are left") }
    self.connection = connection
    self.writer = writer
    self.wait = wait
    self.counters = counters
    self.logger = logger
    let subject = "\(prefix).r.\(String(writer.incarnation, radix: 16))"
    let core = EngineCore(connection, subject: subject, waker, counters)
    self.core = core
    do throws(NATSError) {
      replies = try NATSReplies(connection, prefix: subject) { core.didReceive($1, to: $0) }
    } catch {
      throw NATSLogError("the subjects \(prefix).r.* cannot be subscribed: \(error)")
    }
    // The thread retains only the core, so that the engine can be released, which ends the thread.
    guard SystemThread(named: "nats-log", { core.publishPending() }) != nil else {
      throw NATSLogError("no thread can be started")
    }
  }

  deinit { core.close() }

  /// Ends the thread; pending operations fail.
  func close() { core.close() }

  /// The number of appends without an outcome.
  var pendingAppends: Int { counters.pending.load(ordering: .relaxed) }

  /// The connection was interrupted or restored.
  func connectionDidChange(isConnected: Bool) {
    interruptedSince.store(isConnected ? .max : Clock.milliseconds, ordering: .relaxed)
    if isConnected { core.didReconnect() }
  }

  /// Whether the connection has been interrupted for longer than `cluster.wait`: further appends
  /// and requests fail immediately.
  var isGivenUp: Bool {
    let since = interruptedSince.load(ordering: .relaxed)
    return since != .max && Clock.milliseconds - since > wait
  }

  /// The reads of a stream by sequence.
  func reads(of stream: String) -> ReadGate {
    reads.withLock { gates in
      let gate = gates[stream] ?? ReadGate(ReadGate.perStream)
      gates[stream] = gate
      return gate
    }
  }

  /// A mark for the next message.
  func nextMark() -> WriterMark {
    WriterMark(
      writer: writer, number: numbers.add(1, ordering: .relaxed).newValue)
  }

  /// Appends a message to a subject.
  func append(_ append: PendingAppend) {
    let pending = counters.pending.add(1, ordering: .relaxed).newValue
    guard !isGivenUp, pending <= Self.appendBound, core.start(append) else {
      counters.pending.subtract(1, ordering: .relaxed)
      return append.completion(.unavailable)
    }
  }

  /// Sends a request, and repeats it until there is a reply.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - subject: The subject.
  ///   - headers: Header fields.
  ///   - time: The maximum time to wait, in milliseconds, or `nil` for `cluster.wait`.
  /// - Returns: The reply.
  /// - Throws: If there is no reply in time.
  func request(
    _ payload: [UInt8], to subject: String, headers: [(name: String, value: String)] = [],
    within time: Int64? = nil
  ) async throws(LogError) -> NATSMessage {
    let deadline = Clock.milliseconds + (time ?? wait)
    let reply: NATSMessage? = await withCheckedContinuation { continuation in
      let request = PendingRequest(
        payload: payload, subject: subject, headers: headers, deadline: deadline
      ) { continuation.resume(returning: $0) }
      if isGivenUp || !core.start(request) { continuation.resume(returning: nil) }
    }
    guard let reply else { throw .unavailable("The brokers do not reply.") }
    return reply
  }
}

/// An append without an outcome.
struct PendingAppend: Sendable {
  let subject: String
  /// The sequence of the subject's last message.
  let expected: Int
  let batch: (mark: WriterMark, payload: [UInt8])
  /// The payload of the void message is created when it is needed.
  let void: (mark: WriterMark, payload: @Sendable () -> [UInt8])
  let wait: Int64
  /// Reads a message to know the outcome; the completion gets `nil` if there is none.
  let read:
    @Sendable (
      AppendMachine.Reading,
      @escaping @Sendable (Result<(sequence: Int, mark: WriterMark?)?, LogError>) -> Void
    ) -> Void
  /// Called if the leader lacks the expected message, or has the id of the message without the
  /// message.
  ///
  /// `last` is the sequence of the leader's last message of the subject in the first case, and
  /// `nil` in the second one. `start` is the time at which the append first found that.
  let leaderIsBehind: @Sendable (_ last: Int?, _ start: Int64) -> Void
  /// Called once, on any thread; must not block.
  let completion: @Sendable (AppendMachine.Outcome) -> Void

  /// The header fields of the batch or of the void message: the fence and the writer.
  func headers(_ purpose: AppendMachine.Purpose) -> [(name: String, value: String)] {
    [
      ("Nats-Expected-Last-Subject-Sequence", "\(expected)"),
      ("Nats-Msg-Id", expected == 0 ? "0/\(subject)" : "\(expected)"),
      ("R", (purpose == .batch ? batch.mark : void.mark).description),
    ]
  }
}

/// A request without a reply.
struct PendingRequest: Sendable {
  let payload: [UInt8]
  let subject: String
  let headers: [(name: String, value: String)]
  /// The time at which the request fails, in milliseconds.
  let deadline: Int64
  /// Called once, on any thread: with `nil` after the deadline, or when the engine is closed.
  let completion: @Sendable (NATSMessage?) -> Void
}
