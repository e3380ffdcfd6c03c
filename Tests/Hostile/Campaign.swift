import Foundation

/// Prints a line, also into a pipe at once.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// A run of abusive clients, each against a daemon of its own.
struct Campaign {
  /// The duration of each kind.
  private let seconds: Double
  /// The bound of the 99th percentiles in milliseconds.
  private let bound: Double
  private let program: URL

  /// Reads the settings from the environment.
  init() throws {
    func number(_ name: String, _ usual: Double, _ range: ClosedRange<Double>) throws -> Double {
      guard let text = ProcessInfo.processInfo.environment[name], !text.isEmpty else {
        return usual
      }
      guard let number = Double(text), range.contains(number) else {
        throw HostileError("\(name) is a number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
    seconds = try number("HOSTILE_SECONDS", 2, 0.5...60)
    bound = try number("HOSTILE_BOUND", 50, 1...10_000)
    program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "reactord")
  }

  /// Runs the kinds and prints a table.
  ///
  /// - Returns: Whether every kind stayed within the bound.
  func run(_ kinds: [AbusiveClient]) throws -> Bool {
    say(
      "\(kinds.count) kinds, \(seconds.formatted()) s each, beside 100 clients; times in ms, "
        + "bound \(bound.formatted()) for p99")
    say(row("kind", ["p50", "p99", "worst", "healthz p99", "failed", "memory MB"]))
    var isSuccess = try measure("(none)", nil)
    for kind in kinds {
      let isWithinBound = try measure(kind.name, kind)
      isSuccess = isSuccess && isWithinBound
    }
    say(isSuccess ? "All kinds stayed within the bound." : "Some kinds exceeded the bound.")
    return isSuccess
  }

  private func measure(_ name: String, _ kind: AbusiveClient?) throws -> Bool {
    let daemon = try Daemon(program: program)
    defer { daemon.stop() }
    let clients = WellBehavedClients(count: 100, port: daemon.port)
    defer { clients.stop() }
    // The clients create their sessions and connections first.
    Clock.pause(0.5)
    if let kind { begin(kind, daemon.port) }
    let start = Clock.now
    Clock.pause(seconds)
    // A request that has no response after this pause is late.
    Clock.pause(bound / 1_000)
    return report(name, clients.samples(from: start, to: start + seconds), daemon)
  }

  /// Starts the threads of an abusive client, at low priority, so that their own work does not compete
  /// with the daemon.
  private func begin(_ kind: AbusiveClient, _ port: UInt16) {
    let endpoint = Connection.Endpoint(port: port, source: 2)
    func target(_ thread: Int) -> AbusiveClient.Target {
      AbusiveClient.Target(endpoint: endpoint, deadline: Clock.now + seconds, thread: thread)
    }
    kind.prepare(target(0))
    for number in 0..<kind.threads {
      let target = target(number)
      let thread = Thread {
        // On Linux the value is that of the thread.
        _ = nice(10)
        kind.run(target)
      }
      thread.start()
    }
  }

  private func report(
    _ name: String, _ samples: [WellBehavedClients.Sample], _ daemon: Daemon
  ) -> Bool {
    let times = samples.filter { !$0.isHealthCheck }.map { $0.time * 1_000 }.sorted()
    let health = samples.filter(\.isHealthCheck).map { $0.time * 1_000 }.sorted()
    let failed = samples.count { $0.time == .infinity }
    // A hundred clients send ten requests per second; a daemon that stops responding leaves few.
    let isComplete = Double(times.count) >= 0.5 * 1_000 * seconds
    let p99 = percentile(times, 0.99)
    let healthP99 = percentile(health, 0.99)
    let isWithinBound = daemon.isRunning && isComplete && p99 <= bound && healthP99 <= bound
    say(
      row(
        name,
        [
          text(percentile(times, 0.5)), text(p99), text(times.last ?? .infinity), text(healthP99),
          "\(failed)", "\(daemon.memory >> 20)",
        ]) + (isWithinBound ? "" : daemon.isRunning ? "  EXCEEDED" : "  ENDED"))
    return isWithinBound
  }

  private func percentile(_ sorted: [Double], _ part: Double) -> Double {
    guard !sorted.isEmpty else { return .infinity }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  private func text(_ time: Double) -> String {
    time.isFinite ? String(format: "%.1f", time) : "never"
  }

  private func row(_ name: String, _ columns: [String]) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return name + String(repeating: " ", count: max(1, 26 - name.count))
      + columns.map { padded($0, 12) }.joined()
  }
}
