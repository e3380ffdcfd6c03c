import Foundation
import Testing

/// Mixed load, with clients that connect and disconnect, leaves no resources behind.
///
/// The test runs for a few seconds; `make soak` runs longer, with the optimized service.
@Suite(.blocking) struct SoakTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seconds = environment["SOAK_SECONDS"].flatMap { Double($0) } ?? 4
  private static let program = environment["SOAK_PROGRAM"] ?? "reactord"

  @Test(arguments: ["memory", "sqlite"])
  func `clients leave no resources behind, and versions are continuous`(
    _ store: String
  ) throws {
    let folder = try TemporaryFolder()
    let server = try ReactordProcess(
      [
        "--store", store == "memory" ? store : "sqlite:\(folder["log.db"])",
        // Use small limits, so that every bounded resource reaches its bound soon.
        "--log-retain", "500", "--sessions-idle", "1", "--actions-idempotency", "60",
        "--streams-heartbeat", "1", "--log-level", "error",
      ], program: Self.program)
    let soak = try Soak(server)
    let rounds = max(2, Int(Self.seconds / 10))
    var rests: [ProcessFigures] = []
    for _ in 0..<rounds {
      try soak.round(.seconds(Self.seconds / Double(rounds)))
      rests.append(try soak.figuresAtRest())
    }
    try soak.checkTotals()
    // A stopwatch that ticks while its session is being ended logs a rejected mutation.
    let complaints = server.standardError.split(separator: "\n")
      .filter { !$0.contains("reactor=stopwatch") }
    #expect(complaints == [])
    if Self.environment["SOAK_SECONDS"] != nil {
      print("soak, \(store): \(soak.actions) actions; after each round at rest")
      print("  descriptors \(rests.map(\.descriptors)), threads \(rests.map(\.threads))")
      print("  resident KiB \(rests.map { $0.residentBytes / 1024 })")
    }
    // Resources that are opened at their first use are open now. The pools of the allocators need
    // more rounds.
    guard rounds >= 9 else { return }
    let thirds = [0, rounds / 3, 2 * rounds / 3, rounds]
    func most(_ third: Int, _ figure: (ProcessFigures) -> Int) -> Int {
      rests[thirds[third]..<thirds[third + 1]].map(figure).max() ?? 0
    }
    // A leak is permanent: after one, the number of descriptors never returns to the initial
    // number.
    let least = rests[thirds[2]...].map(\.descriptors).min() ?? 0
    #expect(least <= most(0, \.descriptors))
    // The pools of Swift and of the system create additional threads when the machine is busy.
    #expect(most(2, \.threads) <= most(0, \.threads) + 2)
    #expect(most(2, \.residentBytes) - most(1, \.residentBytes) < 2 << 20)
  }
}
