internal import NATSClient
internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// The parts of a store that its sessions share.
final class NATSStore: Sendable {
  let engine: LogEngine
  let names: StoreNames
  let executor = LogExecutor()
  let timers = TimerTable()
  let proof: QuorumProof
  /// The size of the messages that sessions retain until they are in pages, in bytes.
  let recentSize = Atomic<Int>(0)
  /// The number of snapshots that are being stored.
  let saves = Atomic<Int>(0)
  /// The feed of changes, or `nil` if they are not retained, and after the store was closed.
  let feed = Mutex<(any StoreFeed)?>(nil)
  /// Whether there is a feed, so that commits without one do not take its lock.
  let hasFeed: Bool
  /// The number of forks that are being copied.
  let forks = Atomic<Int>(0)
  /// The retention of entries.
  let retention: RetentionRule
  /// How long outcomes of idempotency keys are retained, in milliseconds.
  let outcomeRetention: Int64
  /// The maximum size of a payload, in bytes.
  let payloadBound: Int
  let logger: Logger

  init(
    _ engine: LogEngine, _ names: StoreNames, retention: RetentionRules,
    outcomeRetention: Int64, hasFeed: Bool, logger: Logger
  ) {
    self.engine = engine
    self.names = names
    proof = QuorumProof(engine, names)
    self.retention = RetentionRule(retention)
    self.outcomeRetention = outcomeRetention
    self.hasFeed = hasFeed
    self.logger = logger
    // The header fields of an append take at most 1 KiB.
    payloadBound = engine.connection.maximumPayload - 1024
  }

  /// The maximum size of a batch, in bytes: its entries have to fit into a page of their own.
  var batchBound: Int { payloadBound - min(4096, payloadBound / 4) }

  /// A message of a session or a global was committed.
  func didCommit() {
    guard hasFeed else { return }
    feed.withLock { $0 }?.didCommit()
  }

  var reader: StreamReader { StreamReader(engine: engine) }

  func history(of key: SessionKey) -> HistoryReader {
    HistoryReader(reader: reader, names: names, key: key)
  }

  func snapshots(of key: SessionKey) -> SnapshotReader {
    SnapshotReader(reader: reader, names: names, key: key)
  }

  /// Appends a message to a subject.
  ///
  /// - Parameters:
  ///   - payload: The payload.
  ///   - void: Returns the payload of the void message, which is used if the outcome stays unknown.
  ///   - subject: The subject.
  ///   - stream: Its stream.
  ///   - expected: The sequence of the subject's last message.
  ///   - completion: Called once, on any thread, with the sequence of the message; must not block.
  func append(
    _ payload: [UInt8], void: @escaping @Sendable () -> [UInt8], to subject: String,
    in stream: String, expecting expected: Int,
    completion: @escaping @Sendable (Result<Int, LogError>) -> Void
  ) {
    guard payload.count <= payloadBound else { return completion(.failure(.tooLarge)) }
    engine.append(
      PendingAppend(
        subject: subject, expected: expected, batch: (engine.nextMark(), payload),
        void: (engine.nextMark(), void), wait: engine.wait,
        read: { [reader, executor] reading, done in
          executor.detach {
            do throws(LogError) {
              var found: StreamMessage?
              if case .at(let sequence) = reading {
                found = try await reader.message(at: sequence, in: stream)
              }
              // META retains only the last message of a global: the one at the sequence can be
              // replaced by a later one.
              if found == nil {
                found = try await reader.next(subject, after: expected, in: stream)
              }
              done(.success(found.map { ($0.sequence, $0.mark) }))
            } catch {
              done(.failure(error))
            }
          }
        },
        leaderIsBehind: { [reader] last, start in
          guard let last else {
            return reader.leader(of: stream, keepsIDSince: start, after: expected)
          }
          reader.leader(of: stream, isBehindSince: start, lacking: expected, after: last)
        },
        completion: { completion($0.result) }))
  }
}

extension AppendMachine.Outcome {
  /// The sequence of the message, or why there is none.
  var result: Result<Int, LogError> {
    switch self {
    case .committed(let sequence): .success(sequence)
    case .lost(let writer): .failure(.lost(to: writer.map { NodeID($0) }))
    case .full: .failure(.full)
    case .tooLarge: .failure(.tooLarge)
    case .unavailable: .failure(.unavailable("The brokers do not confirm the append."))
    case .unknown: .failure(.unknown)
    case .rejected(let reason): .failure(.unavailable("The brokers reject the append: \(reason)"))
    }
  }
}

extension NodeID {
  init(_ writer: Writer) {
    self.init(name: writer.name, incarnation: writer.incarnation)
  }
}

extension NATSStore {
  /// The time before which outcomes are not retained, in milliseconds.
  var oldestOutcome: Int64 {
    let (time, isOverflow) = Timestamp.now.milliseconds.subtractingReportingOverflow(
      outcomeRetention)
    return isOverflow ? .min : time
  }

  /// The subjects of the sessions of a LOG stream.
  func logSubjects(_ number: Int) async throws(LogError) -> [String] {
    try await reader.subjects(of: names.log(number), matching: "\(names.prefix).l.\(number).>")
  }
}
