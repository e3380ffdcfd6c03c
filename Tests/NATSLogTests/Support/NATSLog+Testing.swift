import Brokers
import NATSClient
import ReactorCoding
import ReactorLog
import Synchronization

@testable import NATSLog

/// The broker that most tests share; each test has a store of its own.
enum SharedBroker {
  static let broker = Result { try Broker() }
}

/// A store of its own on a broker.
struct TestStore {
  private static let count = Atomic(0)

  var settings: NATSLog.Settings

  /// Names a store that does not exist yet.
  init(_ url: String? = nil, replicas: Int = 1, node: String = "n1") throws {
    let url = try url ?? SharedBroker.broker.get().url
    guard let addresses = NATSAddresses(url) else { throw NATSLogError("no address: \(url)") }
    settings = NATSLog.Settings(addresses, node: node)
    settings.name = "test-\(Self.count.add(1, ordering: .relaxed).newValue)"
    settings.replicas = replicas
    settings.streams = 2
  }

  /// Opens the store; waits for a leader of the brokers.
  func open(within time: Duration = .seconds(600)) async throws -> NATSLog {
    let deadline = ContinuousClock.now + time
    while true {
      do {
        return try await NATSLog.open(settings)
      } catch {
        guard error.isTemporary, ContinuousClock.now < deadline else { throw error }
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }
}

extension NATSLog {
  /// The log of a session of the reactor `counter`.
  func counter(_ id: String = "demo") -> any SessionLog {
    session(SessionKey(reactor: "counter", id: id))
  }
}

/// The functions of a log as asynchronous functions.
extension SessionLog {
  func load() async throws -> LoadedSession { try await wait { load(schema: nil, completion: $0) } }

  func entries(after version: Int, limit: Int) async throws -> [LogEntry] {
    try await wait { entries(after: version, limit: limit, completion: $0) }
  }

  func outcome(of key: String) async throws -> StoredOutcome? {
    try await wait { outcome(of: key, completion: $0) }
  }

  func create(epoch: String) async throws {
    try await wait { create(epoch: epoch, parameters: nil, completion: $0) }
  }

  func append(_ batch: LogBatch, to epoch: String, expecting version: Int) async throws {
    try await wait { append(batch, to: epoch, expecting: version, completion: $0) }
  }

  func append(_ versions: ClosedRange<Int>, to epoch: String = "one") async throws {
    try await append(
      LogBatch(versions.map { LogEntry(counted: $0) }), to: epoch,
      expecting: versions.lowerBound - 1)
  }

  /// Appends an entry with an outcome whose key is its version.
  func append(keyed version: Int) async throws {
    var batch = LogBatch([LogEntry(counted: version)])
    let key = IdempotencyKey("\(version)", for: [])
    batch.outcomes = [StoredOutcome(key: key, at: .now, version: version, failure: nil)]
    try await append(batch, to: "one", expecting: version - 1)
  }

  func end() async throws { try await wait { end(completion: $0) } }
}

extension LogEntry {
  /// An entry that contains its version.
  init(counted version: Int) {
    self.init(
      version: version, at: Timestamp(milliseconds: 1_700_000_000_000 + Int64(version)),
      action: Array("\"increase\"".utf8), mutation: Array("{\"change\":\(version)}".utf8))
  }
}

/// Waits for a completion.
func wait<Value: Sendable>(
  _ start: (@escaping @Sendable (Result<Value, LogError>) -> Void) -> Void
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    start { continuation.resume(with: $0.mapError { $0 }) }
  }
}

/// The sequences of the messages of a session's stream that are requested from the brokers.
final class RequestedMessages: Sendable {
  private final class Found: Sendable {
    let sequences = Mutex<Set<Int>>([])
  }

  private let found = Found()
  private let subscription: NATSSubscription

  /// Records the requests from now on.
  init(of session: NATSSessionLog, on test: TestStore) throws {
    let names = session.store.names
    let stream = names.log(names.logNumber(of: session.key))
    let connection = try NATSConnection(.init(test.settings.addresses, name: "requests"))
    subscription = try connection.subscribe(to: "$JS.API.STREAM.MSG.GET.\(stream)") {
      [found] message in
      guard let root = try? JSONDocument(parsing: message.payload).root,
        root["next_by_subj"] == nil, let sequence: Int = root["seq"]?.integer()
      else { return }
      found.sequences.withLock { _ = $0.insert(sequence) }
    }
    try connection.flush()
  }

  /// Waits until a number of messages was requested.
  func sequences(atLeast count: Int) async throws -> Set<Int> {
    while true {
      let sequences = found.sequences.withLock { $0 }
      if sequences.count >= count { return sequences }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}
