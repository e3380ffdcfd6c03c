import Foundation
import ReactorHost
import Reactors
import SQLiteLog

/// A session of the counter in a store on the disk: how fast it comes back, and what it takes.
struct DurableLog {
  let mutations: Int
  /// Whether there are snapshots, as a daemon makes them.
  let hasSnapshots: Bool

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "reactord-bench-\(UUID().uuidString)")
  private var path: String { folder.appending(path: "log.db").path }

  /// What was measured.
  struct Result {
    var loads: [Duration] = []
    var replays: [Duration] = []
    var bytesPerMutation = 0.0
  }

  /// Writes the session, and loads it several times in a host that has never seen it.
  func measure(rounds: Int) async throws -> Result {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await write()
    var result = Result()
    let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    result.bytesPerMutation = Double(size) / Double(mutations)
    for _ in 0..<rounds { try await load(into: &result) }
    return result
  }

  private func load(into result: inout Result) async throws {
    let log = try SQLiteLog(path: path)
    defer { log.close() }
    let host = Host(Catalogue().reactors, log: log)
    let clock = ContinuousClock()
    let start = clock.now
    let session = try await withCheckedThrowingContinuation { continuation in
      host.reactor("counter")?.session("bench", for: .use) { result in
        continuation.resume(with: result.map { $0.session })
      }
    }
    result.loads.append(clock.now - start)
    precondition(session.current.version == mutations)
    let replay = try clock.measure {
      let replay = try session.replay(after: nil)
      var count = -1
      while case let states = try replay.next(limit: 1000), !states.isEmpty {
        count += states.count
      }
      precondition(count == mutations)
    }
    result.replays.append(replay)
  }

  private func write() async throws {
    let log = try SQLiteLog(path: path)
    let session = log.session(SessionKey(reactor: "counter", id: "bench"))
    for start in stride(from: 0, to: mutations, by: 1000) {
      let entries = (start + 1...start + 1000).map { version in
        LogEntry(
          version: version, at: .now, action: Array(#""increase""#.utf8),
          mutation: Array(#"{"change":{"by":1}}"#.utf8))
      }
      try await withCheckedThrowingContinuation { continuation in
        session.append(LogBatch(entries), to: "bench", expecting: start) { result in
          continuation.resume(with: result.mapError { $0 })
        }
      }
      // The last thousand is folded: no session is loaded right after its snapshot.
      if hasSnapshots, start + 1000 < mutations {
        session.save(
          Snapshot(version: start + 1000, state: Array(#"{"value":\#(start + 1000)}"#.utf8)),
          of: "bench")
      }
    }
    log.close()
  }
}
