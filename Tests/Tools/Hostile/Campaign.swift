import Foundation
import Synchronization

/// Prints a line without buffering, also into a pipe.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// A run of abusive clients, each against a daemon of its own.
///
/// Windows with and without the abusive client alternate, so that other load on the machine delays both.
struct Campaign {
  /// The duration of a window.
  private let seconds: Double
  /// The number of windows without a kind, and with it.
  private let rounds: Int
  /// The bound of the 99th percentiles in milliseconds.
  private let bound: Double
  /// The bound of the 99th percentiles as a multiple of those without a kind.
  private let ratio: Double
  /// The seconds within which the memory of a kind is released.
  private let leaving: Double
  /// The bound of the daemon's largest resident memory in MiB.
  private let memory: Int
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
    rounds = Int(try number("HOSTILE_ROUNDS", 2, 1...100))
    bound = try number("HOSTILE_BOUND", 50, 1...10_000)
    ratio = try number("HOSTILE_RATIO", 3, 1...1_000)
    leaving = try number("HOSTILE_LEAVING", 15, 0...600)
    memory = Int(try number("HOSTILE_MEMORY", 768, 1...1_000_000))
    program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "reactord")
  }

  /// Runs the kinds and prints a table.
  ///
  /// - Returns: Whether every kind caused the expected responses and stayed within the bound.
  func run(_ kinds: [AbusiveClient]) throws -> Bool {
    say(
      "\(kinds.count) kinds, \(rounds) × \(seconds.formatted()) s without and with each, beside 100 "
        + "clients and 10 streams; times in ms, bounds \(bound.formatted()) for the p99 beside a kind and "
        + "\(memory) MiB for the largest memory")
    say(
      row(
        "kind",
        [
          "p50", "p99", "worst", "events p99", "probes p99", "failed", "CPU %", "disk/byte",
          "memory", "MiB",
        ]))
    var faults: [String] = []
    for kind in kinds {
      let fault = try measure(kind)
      if let fault { faults.append("\(kind.name): \(fault)") }
    }
    say(faults.isEmpty ? "All kinds stayed within the bound." : faults.joined(separator: "\n"))
    return faults.isEmpty
  }

  /// Measures windows without and with a kind.
  ///
  /// - Returns: The fault, or `nil` if there is none.
  private func measure(_ kind: AbusiveClient) throws -> String? {
    let daemon = try Daemon(program: program, flags: kind.flags, nodes: kind.nodes)
    defer { daemon.stop() }
    let clients = WellBehavedClients(
      count: 100, streams: 10, port: daemon.port, isProxied: kind.isProxied)
    defer { clients.stop() }
    let tally = Tally()
    // Wait until the clients have created their sessions and connections.
    Clock.pause(0.5)
    kind.prepare(target(kind, daemon, tally, .init(), thread: 0))
    _ = tally.take()
    var costs = Costs()
    var (without, with) = (Window(), Window())
    func passWithout() {
      let size = daemon.storeSize
      without.add(pass(clients, daemon))
      costs.quietBytes += daemon.storeSize - size
      costs.memoryBefore = max(costs.memoryBefore, daemon.memory)
    }
    func passWith(_ windows: Int) {
      let size = daemon.storeSize
      let phase = AbusiveClient.Phase()
      begin(kind, daemon, tally, phase)
      if kind.isHeld { wait(120) { phase.ready.load(ordering: .relaxed) >= kind.threads } }
      for _ in 0..<windows { with.add(pass(clients, daemon)) }
      costs.bytes += daemon.storeSize - size
      phase.isOver.store(true, ordering: .relaxed)
      // Wait until the connections of the abusive client are closed.
      wait(10) { phase.ended.load(ordering: .relaxed) >= kind.threads }
      Clock.pause(0.2)
    }
    if kind.isHeld {
      for _ in 0..<rounds { passWithout() }
      passWith(rounds)
    } else {
      for _ in 0..<rounds {
        passWithout()
        passWith(1)
      }
    }
    // The memory of the abusive client is released within some seconds.
    wait(leaving) { daemon.memory <= costs.memoryBefore + costs.memoryBefore / 10 }
    costs.memoryAfter = daemon.memory
    return report(kind, without, with, tally.take(), costs, daemon)
  }

  /// Waits for a condition, some seconds at most.
  private func wait(_ seconds: Double, until condition: () -> Bool) {
    let end = Clock.now + seconds
    while !condition(), Clock.now < end { Clock.pause(0.05) }
  }

  private func target(
    _ kind: AbusiveClient, _ daemon: Daemon, _ tally: Tally, _ phase: AbusiveClient.Phase,
    thread: Int
  ) -> AbusiveClient.Target {
    AbusiveClient.Target(
      endpoint: Connection.Endpoint(
        port: daemon.abusedPort, source: kind.isProxied ? 1 : 2,
        forwarded: kind.isProxied ? "192.0.2.1" : nil),
      deadline: Clock.now + (kind.isHeld ? 600 : seconds), thread: thread, tally: tally,
      phase: phase)
  }

  /// Starts the threads of an abusive client, which run while no other thread does: their machine is another one,
  /// so that their own work does not compete with the daemon and the other clients.
  private func begin(
    _ kind: AbusiveClient, _ daemon: Daemon, _ tally: Tally, _ phase: AbusiveClient.Phase
  ) {
    for number in 0..<kind.threads {
      let target = target(kind, daemon, tally, phase, thread: number)
      let thread = Thread {
        // 0 is this thread, and 5 is SCHED_IDLE.
        var parameters = sched_param()
        sched_setscheduler(0, 5, &parameters)
        kind.run(target)
        phase.ended.add(1, ordering: .relaxed)
      }
      thread.start()
    }
  }

  /// Waits for the duration of a window, and returns the requests of the well-behaved clients in
  /// it.
  private func pass(_ clients: WellBehavedClients, _ daemon: Daemon) -> Window {
    let (start, cpuTime) = (Clock.now, daemon.cpuTime)
    Clock.pause(seconds)
    // Wait for the bound as well: a request that has no response afterwards is late.
    Clock.pause(bound / 1_000)
    return Window(
      samples: clients.samples(from: start, to: start + seconds), seconds: seconds,
      cpuTime: daemon.cpuTime - cpuTime)
  }

  private func report(
    _ kind: AbusiveClient, _ without: Window, _ with: Window, _ counts: Tally.Counts,
    _ costs: Costs, _ daemon: Daemon
  ) -> String? {
    let fault = fault(of: kind, without, with, counts, costs, daemon)
    let marked = fault == nil ? "" : "  !"
    say(row("without " + kind.name, columns(without)))
    say(
      row(
        "   with " + kind.name,
        columns(with) + columns(costs, counts) + ["\(daemon.peakMemory >> 20)"])
        + marked)
    say("        \(counts.description)")
    return fault
  }

  private func fault(
    of kind: AbusiveClient, _ without: Window, _ with: Window, _ counts: Tally.Counts,
    _ costs: Costs, _ daemon: Daemon
  ) -> String? {
    guard daemon.isRunning else { return "the daemon ended" }
    guard counts.connections > 0 else { return "the kind did nothing" }
    let statuses = Set(counts.statuses.keys)
    guard statuses == kind.expects else {
      return "statuses \(statuses.sorted()), not \(kind.expects.sorted())"
    }
    // A hundred clients send ten requests per second each. If less than half of the requests
    // remain, the daemon has stopped responding.
    guard Double(with.times.count) >= 0.5 * Double(without.times.count), with.failed == 0 else {
      return "well-behaved clients have no response: \(with.failures)"
    }
    guard daemon.peakMemory >> 20 <= memory else { return "\(daemon.peakMemory >> 20) MiB" }
    guard with.worstP99 <= bound, with.isWithin(ratio, times: without) else {
      return "p99 \(text(with.worstP99)) ms, without it \(text(without.worstP99)) ms"
    }
    guard costs.memoryRatio <= 1.1 else {
      return
        "\(costs.memoryAfter >> 20) MiB afterwards, \(costs.memoryBefore >> 20) MiB before"
    }
    guard costs.growth <= 20 * counts.bytes + Costs.log else {
      return "\(costs.growth >> 10) KiB of disk for \(counts.bytes >> 10) KiB"
    }
    return nil
  }

  private func columns(_ costs: Costs, _ counts: Tally.Counts) -> [String] {
    let perByte = Double(max(0, costs.growth)) / Double(max(1, counts.bytes))
    return [
      String(format: "%.1f", perByte), String(format: "%.2f", costs.memoryRatio),
    ]
  }

  private func columns(_ window: Window) -> [String] {
    [
      text(window.p50), text(window.p99), text(window.worst), text(window.eventP99),
      text(window.probeP99), "\(window.failed)", "\(Int(100 * window.cpuTime / window.seconds))",
    ]
  }

  private func text(_ time: Double) -> String {
    time.isFinite ? String(format: "%.1f", time) : "never"
  }

  private func row(_ name: String, _ columns: [String]) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return name + String(repeating: " ", count: max(1, 34 - name.count))
      + columns.map { padded($0, 12) }.joined()
  }
}

/// The costs of a kind beside time.
struct Costs {
  /// The bytes that the log of a store may take before they are written to the database.
  static let log = 16 << 20

  /// The growth of the store without and with the kind, in bytes.
  var quietBytes = 0
  var bytes = 0
  /// The resident memory in bytes.
  var memoryBefore = 0
  var memoryAfter = 0

  var growth: Int { bytes - quietBytes }
  var memoryRatio: Double { Double(memoryAfter) / Double(max(1, memoryBefore)) }
}

/// The latencies of the well-behaved clients during a number of seconds.
struct Window {
  /// The times of their requests in milliseconds, in ascending order.
  private(set) var times: [Double] = []
  private var eventTimes: [Double] = []
  private var probeTimes: [Double] = []
  private var newcomerTimes: [Double] = []
  /// The statuses of failed requests with their numbers; 0 without a response.
  private(set) var failures: [Int: Int] = [:]
  private(set) var seconds: Double = 0
  /// The CPU time of the daemon.
  private(set) var cpuTime: Double = 0

  init() {}

  init(samples: [WellBehavedClients.Sample], seconds: Double, cpuTime: Double) {
    func times(_ kind: WellBehavedClients.Sample.Kind) -> [Double] {
      samples.filter { $0.kind == kind }.map { $0.time * 1_000 }.sorted()
    }
    self.times = times(.request)
    eventTimes = times(.event)
    probeTimes = times(.probe)
    newcomerTimes = times(.newcomer)
    for sample in samples where !sample.time.isFinite { failures[sample.status, default: 0] += 1 }
    (self.seconds, self.cpuTime) = (seconds, cpuTime)
  }

  mutating func add(_ other: Window) {
    times = (times + other.times).sorted()
    eventTimes = (eventTimes + other.eventTimes).sorted()
    probeTimes = (probeTimes + other.probeTimes).sorted()
    newcomerTimes += other.newcomerTimes
    failures.merge(other.failures, uniquingKeysWith: +)
    seconds += other.seconds
    cpuTime += other.cpuTime
  }

  var p50: Double { Self.percentile(times, 0.5) }
  var p99: Double { Self.percentile(times, 0.99) }
  var worst: Double { times.last ?? .infinity }
  var eventP99: Double { Self.percentile(eventTimes, 0.99) }
  var probeP99: Double { Self.percentile(probeTimes, 0.99) }
  var worstP99: Double { max(p99, eventP99, probeP99) }
  var failed: Int { (times + eventTimes + probeTimes + newcomerTimes).count { !$0.isFinite } }

  /// Returns whether each 99th percentile is at most a multiple of that of another window.
  ///
  /// A time below ``quiet`` counts as that: a slice of the scheduler is as long on two shared cores.
  func isWithin(_ ratio: Double, times other: Window) -> Bool {
    zip([p99, eventP99, probeP99], [other.p99, other.eventP99, other.probeP99])
      .allSatisfy { $0 <= ratio * max($1, Self.quiet) }
  }

  /// In milliseconds.
  private static let quiet = 4.0

  private static func percentile(_ sorted: [Double], _ part: Double) -> Double {
    guard !sorted.isEmpty else { return .infinity }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}
