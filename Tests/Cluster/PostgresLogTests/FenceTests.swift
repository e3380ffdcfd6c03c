import PostgresLog
import PostgresServers
import ReactorLog
import Testing

/// Several processes that write to the same sessions.
struct FenceTests {
  @Test func `four writers leave no gap and no fork, and each accepted entry is stored once`()
    async throws
  {
    let settings = try newStore()
    let logs = try (0..<4).map { _ in try PostgresLog(settings) }
    let ids = (0..<20).map { "s\($0)" }
    // The entries whose append has succeeded: the version and the writer's name.
    let accepted = try await withThrowingTaskGroup(of: [String: [Int: String]].self) { group in
      for (place, log) in logs.enumerated() {
        group.addTask {
          var accepted: [String: [Int: String]] = [:]
          var generator = SplitMix(seed: UInt64(place))
          for _ in 0..<400 {
            let id = ids[Int(generator.next() % UInt64(ids.count))]
            let session = log.demo(id)
            // Each load is followed by an append of one to three entries, as by a node that takes over.
            guard case .stored(let stored) = try session.load().record else {
              try? await session.create(epoch: "one", parameters: nil)
              continue
            }
            let first = stored.version + 1
            let entries = (first...first + Int(generator.next() % 3)).map {
              LogEntry(counted: $0, by: "w\(place)")
            }
            do {
              try await session.append(LogBatch(entries), to: "one", expecting: stored.version)
              for entry in entries { accepted[id, default: [:]][entry.version] = "w\(place)" }
            } catch LogError.lost {}
          }
          return accepted
        }
      }
      var all: [String: [Int: String]] = [:]
      for try await one in group {
        for (id, versions) in one {
          all[id, default: [:]].merge(versions) { first, second in
            Issue.record("\(id) was accepted from \(first) and \(second)")
            return first
          }
        }
      }
      return all
    }
    for id in ids {
      let entries = try logs[0].demo(id).entries(after: 0, limit: 10_000)
      #expect(entries.map(\.version) == Array(1..<entries.count + 1))
      let writers = entries.compactMap { entry in entry.by.map { (entry.version, $0) } }
      #expect(Dictionary(uniqueKeysWithValues: writers) == accepted[id, default: [:]])
      #expect(try logs[0].demo(id).stored?.version ?? 0 == entries.count)
    }
    #expect(accepted.values.reduce(0) { $0 + $1.count } > 200)
    for log in logs { #expect(log.close()) }
  }

  @Test func `a write without entries is lost after one of another process at the same version`()
    async throws
  {
    let settings = try newStore()
    let (first, second) = (try PostgresLog(settings), try PostgresLog(settings))
    let (old, new) = (first.demo(), second.demo())
    try await old.append(1...1, to: "one")
    _ = try new.load()
    let timer = StoredTimer(id: "t", due: Timestamp(milliseconds: 1), action: [0x31])
    let batch = LogBatch(timers: [StoredTimerChange(id: "t", timer: timer)])
    try await new.append(batch, to: "one", expecting: 1)
    // The version is the one that the first process expects, and its timers are not.
    await #expect(throws: LogError.conflict) {
      try await old.append(batch, to: "one", expecting: 1)
    }
    await #expect(throws: LogError.conflict) { try await old.append(2...2, to: "one") }
    _ = try old.load()
    try await old.append(2...2, to: "one")
    await #expect(throws: LogError.conflict) { try await new.append(3...3, to: "one") }
    #expect(first.close() && second.close())
  }

  @Test func `a global is lost to another process that has set it since it was read`() async throws
  {
    let settings = try newStore()
    let (first, second) = (try PostgresLog(settings), try PostgresLog(settings))
    func value(_ revision: UInt64) -> SharedValue {
      SharedValue(epoch: "one", version: 1, revision: revision, json: [0x31])
    }
    try await first.share(value(1), as: "motto")
    // A process that has read no value must not replace the first one of another process.
    await #expect(throws: LogError.conflict) { try await second.share(value(9), as: "motto") }
    #expect(try second.sharedValue("motto") == value(1))
    try await second.share(value(2), as: "motto")
    await #expect(throws: LogError.conflict) { try await first.share(value(3), as: "motto") }
    #expect(try first.sharedValue("motto") == value(2))
    try await first.share(value(3), as: "motto")
    #expect(first.close() && second.close())
  }
}

/// Reproducible numbers.
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
