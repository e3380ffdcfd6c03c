import Brokers
import ReactorLog
import Synchronization
import Testing

@testable import NATSLog

/// More appends than the buffers of a connection hold, while its broker is paused.
///
/// No append waits for the socket in the thread that starts it: the engine's own thread publishes what exceeds
/// ``EngineTable/directBound``.
@Suite(.serialized) struct PausedBrokerTests {
  private static let count = 1_000

  private final class Outcomes: Sendable {
    private let found = Mutex<[Int: [Result<Int, LogError>]]>([:])

    var all: [Int: [Result<Int, LogError>]] { found.withLock { $0 } }

    func add(_ outcome: Result<Int, LogError>, of number: Int) {
      found.withLock { $0[number, default: []].append(outcome) }
    }

    /// Waits until each append has an outcome.
    func complete() async throws -> [Int: Result<Int, LogError>] {
      while all.count < PausedBrokerTests.count { try await Task.sleep(for: .milliseconds(10)) }
      let all = all
      #expect(all.values.allSatisfy { $0.count == 1 }, "an append has two outcomes")
      return all.compactMapValues(\.first)
    }
  }

  private let broker: Broker
  private let test: TestStore

  init() throws {
    broker = try Broker()
    var test = try TestStore(broker.url)
    test.settings.streams = 1
    self.test = test
  }

  private func subject(_ number: Int, _ log: NATSLog) -> String {
    log.store.names.logSubject(of: SessionKey(reactor: "counter", id: "\(number)"))
  }

  private static let void = Array("void".utf8)

  /// Starts all appends, each to a session of its own: together more than the buffers of the socket hold.
  private func start(_ log: NATSLog) -> Outcomes {
    let outcomes = Outcomes()
    let payload = [UInt8](repeating: 32, count: 16_384)
    for number in 0..<Self.count {
      log.store.append(
        payload, void: { Self.void }, to: subject(number, log), in: log.store.names.log(0),
        expecting: 0
      ) { outcomes.add($0, of: number) }
    }
    return outcomes
  }

  @Test(.timeLimit(.minutes(60)))
  func `appends to a paused broker block no caller, and all are stored once afterwards`()
    async throws
  {
    var test = test
    test.settings.wait = .seconds(240)
    let log = try await test.open()
    defer { log.close() }
    broker.pause()
    let outcomes = start(log)
    #expect(outcomes.all.isEmpty)
    #expect(log.store.engine.pendingAppends >= Self.count)
    broker.resume()
    let sequences = try await outcomes.complete().values.map { try $0.get() }
    #expect(Set(sequences) == Set(1...Self.count))
    #expect(try await log.store.reader.bounds(of: log.store.names.log(0)).last == Self.count)
  }

  /// An append without any confirmation ends as unknown; a batch that is reported as missing
  /// (`unavailable`) is not stored later.
  @Test(.timeLimit(.minutes(60)))
  func `appends to a broker that stays paused end as unknown or unavailable`() async throws {
    var test = test
    test.settings.wait = .seconds(1)
    let log = try await test.open(within: .seconds(240))
    defer { log.close() }
    broker.pause()
    let outcomes = try await start(log).complete()
    var missing: [Int] = []
    for (number, outcome) in outcomes {
      switch outcome {
      case .failure(.unknown): break
      case .failure(.unavailable): missing.append(number)
      default: Issue.record("\(number): \(outcome)")
      }
    }
    // If there was no connection for longer than `cluster.wait`, an append fails immediately.
    while !log.store.engine.isGivenUp { try await Task.sleep(for: .milliseconds(10)) }
    let late = start(log).all.values.compactMap(\.first)
    #expect(late.count == Self.count)
    #expect(late.allSatisfy { if case .failure(.unavailable) = $0 { true } else { false } })
    broker.resume()
    while log.store.engine.isGivenUp { try await Task.sleep(for: .milliseconds(10)) }
    for number in missing {
      let message = try await last(of: number, log)
      #expect(message == nil || message?.payload == Self.void, "\(number) is stored")
    }
  }

  /// The last message of a session, as soon as the broker responds again.
  private func last(of number: Int, _ log: NATSLog) async throws -> StreamMessage? {
    while true {
      do throws(LogError) {
        return try await log.store.reader.last(subject(number, log), in: log.store.names.log(0))
      } catch {
        guard case .unavailable = error else { throw error }
      }
    }
  }
}
