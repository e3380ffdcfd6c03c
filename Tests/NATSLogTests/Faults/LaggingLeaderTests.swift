import Brokers
import NATSClient
import ReactorCoding
import ReactorLog
import Synchronization
import Telemetry
import Testing

@testable import NATSLog

/// The leader of a stream lacks messages to which the log refers.
struct LaggingLeaderTests {
  private final class Requests: Sendable {
    let count = Atomic(0)
    var value: Int { count.load(ordering: .sequentiallyConsistent) }
  }

  private final class RequestedLeaders: Sendable {
    private let found = Mutex<Set<String>>([])
    var streams: Set<String> { found.withLock { $0 } }
    func add(_ stream: String) { found.withLock { _ = $0.insert(stream) } }
  }

  /// Opens a store with one LOG stream, and appends messages of one version each to the session
  /// `one`.
  private func openStore(
    _ test: TestStore? = nil, wait: Duration = .seconds(15), appending count: Int = 1
  ) async throws -> (log: NATSLog, test: TestStore) {
    var test = try test ?? TestStore()
    test.settings.streams = 1
    test.settings.wait = wait
    let log = try await test.open()
    for version in 0..<count { try await log.counter("one").append(version + 1...version + 1) }
    return (log, test)
  }

  /// Appends after sequence 1,000, which the stream does not have.
  private func appendAfterMissing(to log: NATSLog) async {
    let names = log.store.names
    let subject = names.logSubject(of: SessionKey(reactor: "counter", id: "one"))
    let payload = Array("{}".utf8)
    await #expect(throws: LogError.self) {
      let _: Int = try await wait { done in
        log.store.append(
          payload, void: { payload }, to: subject, in: names.log(0), expecting: 1_000,
          completion: done)
      }
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `a leader that stays behind gets one request per five seconds`() async throws {
    let (log, test) = try await openStore(wait: .seconds(3))
    defer { log.close() }
    let stream = log.store.names.log(0)
    let requests = Requests()
    let connection = try NATSConnection(.init(test.settings.addresses, name: "requests"))
    let subscription = try connection.subscribe(
      to: "$JS.API.STREAM.LEADER.STEPDOWN.\(stream)"
    ) { _ in requests.count.add(1, ordering: .sequentiallyConsistent) }
    try connection.flush()

    let start = ContinuousClock.now
    async let append: Void = appendAfterMissing(to: log)
    await withTaskGroup(of: Void.self) { group in
      for sequence in 1_000..<1_008 {
        group.addTask {
          await #expect(throws: LogError.self) {
            _ = try await log.store.reader.message(at: sequence, in: stream)
          }
        }
      }
    }
    await append
    let sent = log.store.engine.counters.demotions.value
    #expect(sent >= 1)
    // Wait for the last request, which can still be in flight.
    while requests.value < sent { try await Task.sleep(for: .milliseconds(2)) }
    try log.store.engine.connection.flush()
    try connection.flush()
    #expect(requests.value == sent)
    let interval = Duration.milliseconds(LeaderDemotions.interval)
    #expect(sent <= 1 + Int((ContinuousClock.now - start) / interval))
    withExtendedLifetime(subscription) {}
  }

  @Test func `an append requests a new leader without a read`() async throws {
    let (log, _) = try await openStore(wait: .seconds(3))
    defer { log.close() }
    await appendAfterMissing(to: log)
    #expect(log.store.engine.counters.demotions.value >= 1)
  }

  @Test(.timeLimit(.minutes(60)))
  func `another replica leads afterwards`() async throws {
    let cluster = try BrokerCluster()
    let (log, _) = try await openStore(TestStore(cluster.url, replicas: 3), wait: .seconds(3))
    defer { log.close() }
    let stream = log.store.names.log(0)
    let former = try await leader(of: stream, in: log)
    repeat {
      await #expect(throws: LogError.self) {
        _ = try await log.store.reader.message(at: 1_000, in: stream)
      }
      // The brokers may elect the former leader again.
    } while try await leader(of: stream, in: log) == former
    #expect(log.store.engine.counters.demotions.value >= 1)
    #expect(try await log.counter("one").entries(after: 0, limit: 10).count == 1)
  }

  private func leader(of stream: String, in log: NATSLog) async throws -> String? {
    while true {
      let info = try await log.store.reader.call("STREAM.INFO.\(stream)")
      if let leader = info["cluster"]?["leader"]?.string, !leader.isEmpty { return leader }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Only the leader of the stream with the page must step down: a step-down of the log stream's
  /// leader could promote a replica that lacks more messages.
  @Test(.timeLimit(.minutes(60)))
  func `the leader of the stream that lacks a page gets the request`() async throws {
    var test = try TestStore()
    test.settings.cleaning = LogCleaner.Rules(minimum: 0, growth: 0, age: 0, interval: 3600)
    let (log, _) = try await openStore(test, appending: 0)
    defer { log.close() }
    for start in stride(from: 1, through: 300, by: 50) {
      try await log.counter("one").append(start...start + 49)
    }
    try await log.cleaner.clean(0)
    let names = log.store.names
    let key = SessionKey(reactor: "counter", id: "one")
    let pages = names.pages(names.snapshotNumber(of: key))
    let found = RequestedLeaders()
    let connection = try NATSConnection(.init(test.settings.addresses, name: "requests"))
    let subscriptions = try [names.log(0), pages].map { stream in
      try connection.subscribe(to: "$JS.API.STREAM.LEADER.STEPDOWN.\(stream)") { _ in
        found.add(stream)
      }
    }
    try connection.flush()
    let first = try await log.store.reader.bounds(of: pages).first
    _ = try await log.store.reader.call(
      "STREAM.MSG.DELETE.\(pages)", Array("{\"seq\":\(first)}".utf8))
    while found.streams.isEmpty {
      await #expect(throws: LogError.self) {
        _ = try await log.counter("one").entries(after: 0, limit: 10)
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(found.streams == [pages])
    withExtendedLifetime(subscriptions) {}
  }

  /// The last message of the log exists and refers to a message that the leader lacks.
  ///
  /// Another leader can have it, so the error is temporary.
  @Test func `a session whose messages the leader lacks is not available`() async throws {
    let (log, _) = try await openStore(appending: 3)
    defer { log.close() }
    let stream = log.store.names.log(0)
    let body = Array("{\"seq\":2}".utf8)
    _ = try await log.store.reader.call("STREAM.MSG.DELETE.\(stream)", body)
    let error = await #expect(throws: LogError.self) {
      _ = try await log.counter("one").load()
    }
    guard case .unavailable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// The session's process knows its last message: a log without it would contradict the State.
  @Test func `a log without its last message is not available`() async throws {
    let (log, _) = try await openStore(wait: .seconds(3), appending: 3)
    defer { log.close() }
    // After the load, the session object knows the last message of the log.
    let session = log.counter("one")
    _ = try await session.load()
    let stream = log.store.names.log(0)
    let last = try await log.store.reader.bounds(of: stream).last
    _ = try await log.store.reader.call(
      "STREAM.MSG.DELETE.\(stream)", Array("{\"seq\":\(last)}".utf8))
    let error = await #expect(throws: LogError.self) {
      _ = try await session.entries(after: 0, limit: 10)
    }
    guard case .unavailable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(log.store.engine.counters.demotions.value >= 1)
  }
}
