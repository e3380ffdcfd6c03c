import Brokers
import Foundation
import NATSClient
import ReactorCoding
import ReactorLog
import Synchronization
import Telemetry
import Testing

@testable import NATSLog

/// Two writers contend for the same sessions while brokers are killed and paused.
@Suite(.serialized) struct DuelKillTests {
  /// The number of faults; `make test-faults` sets a larger one.
  private static let rounds = min(
    60, ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) } ?? 3)
  private static let sessions = 32

  /// The outcomes that the writers know.
  private struct Knowledge {
    var acknowledged: Set<Int> = []
    var unknown: Set<Int> = []
    var lost = 0
  }

  /// The state that the writers share.
  private final class Duel: Sendable {
    let knowledge = Mutex(Knowledge())
    let isOver = Atomic(false)
  }

  @Test(.timeLimit(.minutes(30)))
  func `no acknowledged append is lost or doubled, and no two follow the same one`() async throws {
    let cluster = try BrokerCluster()
    var store = try TestStore(cluster.url, replicas: 3)
    store.settings.wait = .seconds(4)
    let one = try await store.open(within: .seconds(60))
    store.settings.node = "n2"
    let two = try await store.open(within: .seconds(60))
    let duel = Duel()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<Self.sessions {
        for (writer, log) in [one, two].enumerated() {
          group.addTask {
            var number = (index * 2 + writer) * 1_000_000
            let session = log.counter("\(index)")
            while !duel.isOver.load(ordering: .relaxed) {
              await Self.append(&number, to: session, duel)
            }
          }
        }
      }
      // Both writers append before the first fault.
      while duel.knowledge.withLock({ $0.acknowledged.count < 200 }) {
        try await Task.sleep(for: .milliseconds(10))
      }
      for round in 0..<Self.rounds { try await Self.disturb(cluster, round) }
      duel.isOver.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    let known = duel.knowledge.withLock { $0 }
    #expect(known.lost > 0, "the writers did not contend")
    for log in [one, two] {
      #expect(log.store.engine.counters.forks.value == 0)
      log.close()
    }
    try await Self.check(known, try await store.open(within: .seconds(60)))
  }

  /// Loads a session and appends to it until another writer is first.
  private static func append(
    _ number: inout Int, to session: any SessionLog, _ duel: Duel
  ) async {
    guard let loaded = try? await session.load() else { return }
    var (epoch, version) = ("one", 0)
    if case .stored(let stored) = loaded.record {
      (epoch, version) = (stored.epoch, stored.version)
    }
    for _ in 0..<4 {
      number += 1
      let current = number
      let entry = LogEntry(
        version: version + 1, at: .now, action: nil, mutation: Array("\(current)".utf8))
      do {
        try await session.append(LogBatch([entry]), to: epoch, expecting: version)
        duel.knowledge.withLock { _ = $0.acknowledged.insert(current) }
        version += 1
      } catch LogError.lost {
        return duel.knowledge.withLock { $0.lost += 1 }
      } catch LogError.unknown {
        return duel.knowledge.withLock { _ = $0.unknown.insert(current) }
      } catch {
        return
      }
    }
  }

  /// Kills or pauses a broker for a while.
  private static func disturb(_ cluster: BrokerCluster, _ round: Int) async throws {
    let broker = cluster.brokers[Int.random(in: 0..<3)]
    if round.isMultiple(of: 2) {
      broker.kill()
      try await Task.sleep(for: .milliseconds(Int.random(in: 200...2000)))
      try broker.start()
      try broker.waitUntilReady()
    } else {
      broker.pause()
      try await Task.sleep(for: .milliseconds(Int.random(in: 500...4000)))
      broker.resume()
    }
    try await Task.sleep(for: .milliseconds(Int.random(in: 500...3000)))
  }

  /// Compares the log with what the writers know.
  private static func check(_ known: Knowledge, _ log: NATSLog) async throws {
    var stored: Set<Int> = []
    var messages = 0
    for index in 0..<sessions {
      let key = SessionKey(reactor: "counter", id: "\(index)")
      var head: SessionHead?
      while head == nil { head = try? await log.store.history(of: key).head() }
      messages += head?.count ?? 0
      var version = 0
      while version < head?.version ?? 0 {
        let page = try await log.session(key).entries(after: version, limit: 1000)
        for entry in page {
          version += 1
          #expect(entry.version == version)
          let number = try #require(Int(String(decoding: entry.mutation, as: UTF8.self)))
          #expect(stored.insert(number).inserted, "\(number) is there twice")
        }
        if page.isEmpty { break }
      }
    }
    #expect(known.acknowledged.subtracting(stored).isEmpty, "acknowledged and lost")
    let extra = stored.subtracting(known.acknowledged).subtracting(known.unknown)
    #expect(extra.isEmpty, "stored without an acknowledgement: \(extra.sorted().prefix(9))")
    // A message beside the chain of its session would be a fork of the log.
    var total = 0
    for stream in 0..<log.store.names.logStreams {
      let root = try await log.store.reader.call("STREAM.INFO.\(log.store.names.log(stream))")
      total += root["state"]?["messages"]?.integer() ?? 0
    }
    #expect(total == messages)
    #expect(log.store.engine.counters.forks.value == 0)
    log.close()
  }
}
