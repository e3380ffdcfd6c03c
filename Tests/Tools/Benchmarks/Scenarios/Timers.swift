import Foundation
import ReactorCore
import ReactorHost
import ReactorLog
import SQLiteLog
import Synchronization

extension Scenario {
  /// The cost of many pending timers.
  static var timers: Scenario {
    Scenario(
      name: "timers", summary: "1,000,000 pending timers: the start, and 1,000 due per second",
      isPartOfAll: false
    ) { bench in
      let store = try TimerStore()
      defer { store.remove() }
      try await store.fill()
      let all = Contestants(bench: bench)
      var starts: [String: [Double]] = [:]
      for _ in 0..<(2 * bench.rounds) {
        for (name, path) in [("with timers", store.full), ("empty store", store.empty)] {
          let server = try all.startReactord(store: "sqlite:\(path)")
          starts[name, default: []].append(server.startTime / .milliseconds(1))
          server.stop()
        }
      }
      let (full, empty) = (starts["with timers"] ?? [], starts["empty store"] ?? [])
      bench.report(
        Figure(
          load: "1,000,000 pending timers", contestant: "reactord, sqlite", unit: "ms to start",
          value: Sample(full),
          ratio: .init(to: "an empty store", value: Sample(full, dividedBy: empty)),
          aim: .atMost(1.2)))
      let latenesses = try await store.latenesses()
      for (quantile, part) in [("p50", 0.5), ("p99", 0.99)] {
        bench.report(
          Figure(
            load: "1,000 timers/s, \(quantile)", contestant: "reactord, sqlite", unit: "ms late",
            value: Sample([latenesses.quantile(part)]),
            aim: part == 0.99 ? .atMost(50) : nil))
      }
    }
  }
}

/// A store with pending timers, and an empty one.
private struct TimerStore {
  private static let sessions = 1_000
  private static let timersPerSession = 1_000
  /// The number of timers that become due, one per millisecond.
  private static let due = 5_000
  /// The number of sessions that schedule these timers.
  private static let armed = 100

  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "reactord-bench-\(UUID().uuidString)")

  var full: String { folder.appending(path: "full/log.db").path }
  var empty: String { folder.appending(path: "empty/log.db").path }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() {
    try? FileManager.default.removeItem(at: folder)
  }

  /// Writes the pending timers, all of which are due after a year or later.
  func fill() async throws {
    try SQLiteLog(path: empty).close()
    let log = try SQLiteLog(path: full)
    let year = Timestamp.now.milliseconds + 31_536_000_000
    for session in 0..<Self.sessions {
      let log = log.session(SessionKey(reactor: "bench", id: "s\(session)"))
      let timers = (0..<Self.timersPerSession).map { index in
        let due = Timestamp(milliseconds: year + Int64(index * Self.sessions + session))
        return StoredTimerChange(
          id: "t\(index)",
          timer: StoredTimer(id: "t\(index)", due: due, action: Array(#""ring""#.utf8)))
      }
      try await log.create(epoch: "one", parameters: nil)
      try await withCheckedThrowingContinuation { continuation in
        log.append(LogBatch(timers: timers), to: "one", expecting: 0) {
          continuation.resume(with: $0)
        }
      }
    }
    log.close()
  }

  /// Returns the delays of due timers beside the pending ones, in milliseconds, in ascending order.
  func latenesses() async throws -> [Double] {
    let log = try SQLiteLog(path: full)
    defer { log.close() }
    let rings = Rings()
    let host = ReactorHost.Host(
      [ReactorRegistration("ring", summary: "") { RingReactor(rings) }], log: log)
    let firing = Task { await host.fireTimers() }
    defer { firing.cancel() }
    let first = WallTime.now + .seconds(2)
    for index in 0..<Self.armed { try await arm(index, of: host, from: first) }
    while rings.count < Self.due { try await Task.sleep(for: .milliseconds(20)) }
    return rings.latenesses
  }

  /// Schedules the due timers of one session.
  private func arm(_ index: Int, of host: ReactorHost.Host, from first: WallTime) async throws {
    let count = Self.due / Self.armed
    let action = RingReactor.Action.arm(
      from: first + .milliseconds(index), count: count, step: Self.armed)
    let body = Array(try JSONEncoder().encode(action))
    let session = try await host.reactor("ring")?.session("s\(index)", for: .use).session
    try session?.submit(body, ifAt: nil, key: nil, for: nil, accepted: nil) { _ in }
  }
}

/// The delays of the timers that have fired.
private final class Rings: Sendable {
  private let times = Mutex<[Double]>([])

  func add(_ lateness: Duration) { times.withLock { $0.append(lateness / .milliseconds(1)) } }

  var count: Int { times.withLock { $0.count } }
  var latenesses: [Double] { times.withLock { $0.sorted() } }
}

/// Schedules timers, and records their delays.
private final class RingReactor: Reactor {
  enum Action: Codable {
    case arm(from: WallTime, count: Int, step: Int)
    case ring(WallTime)
  }

  enum Mutation: Codable { case rang }
  struct State: Codable { var rings = 0 }

  let initialState = State()
  private let rings: Rings

  init(_ rings: Rings) { self.rings = rings }

  func mutate(action: Action) -> Observable<Mutation> {
    switch action {
    case .arm(let first, let count, let step):
      return .concat(
        (0..<count).map { index in
          let time = first + .milliseconds(index * step)
          return schedule(.ring(time), at: time, id: "\(index)")
        })
    case .ring(let due):
      rings.add(WallTime.now - due)
      return .just(.rang)
    }
  }

  func reduce(state: State, mutation: Mutation) -> State { State(rings: state.rings + 1) }
}
