import Foundation

// Rates of one run, side by side. The machine is shared, so a rate alone says nothing; the ratio of
// two rates that were taken in turns says a lot. Server on core 0, load on core 1, a fresh server for
// each measurement, warmed up, median of several.

let rounds = 3
let seconds = Int(ProcessInfo.processInfo.environment["BENCH_SECONDS"] ?? "") ?? 4
let programs = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()

/// A server and the address that its load goes to.
struct Contestant {
  let name: String
  let program: String
  var arguments: [String] = []
  var path = "/"

  func rate(connections: Int) throws -> Double {
    let server = try ServerUnderTest(programs.appending(path: program), arguments)
    defer { server.stop() }
    _ = try LoadGenerator.post(to: server.url + path, connections: connections, seconds: 1)
    return try LoadGenerator.post(to: server.url + path, connections: connections, seconds: seconds)
  }
}

let bare = Contestant(name: "bare libmicrohttpd, no job", program: "BareHandler")
func counter(_ name: String, store: String) -> Contestant {
  Contestant(
    name: "reactord, counter, \(name)", program: "reactord",
    arguments: ["serve", "--listen", "127.0.0.1:0", "--store", store, "--log-level", "error"],
    path: "/v1/reactors/counter/sessions/bench/actions")
}
let memory = counter("memory store", store: "memory")
let data = FileManager.default.temporaryDirectory
  .appending(path: "reactord-bench-\(ProcessInfo.processInfo.processIdentifier)")
let durable = counter("on the disk", store: "sqlite:\(data.path)/log.db")

/// Lets contestants work in turns, and tells their rates beside that of the first one.
func compare(_ contestants: [Contestant], connections: Int) throws {
  var rates: [String: [Double]] = [:]
  for _ in 0..<rounds {
    for contestant in contestants {
      try? FileManager.default.removeItem(at: data)
      rates[contestant.name, default: []].append(try contestant.rate(connections: connections))
    }
  }
  print("POST \"increase\", \(connections) keep-alive connections, answers a second")
  let floor = contestants.first.flatMap { rates[$0.name] }?.sorted()[rounds / 2] ?? 1
  for contestant in contestants {
    let sorted = (rates[contestant.name] ?? []).sorted()
    print(
      String(
        format: "  %-34@ %8.0f  (%.0f to %.0f)  ratio %.2f", contestant.name as NSString,
        sorted[rounds / 2], sorted.first ?? 0, sorted.last ?? 0, sorted[rounds / 2] / floor))
  }
  try? FileManager.default.removeItem(at: data)
}

/// How a session comes back from the disk.
func reportLoading() async throws {
  print("a session of the counter from the disk, which nobody has in memory")
  for hasSnapshots in [true, false] {
    for mutations in [1_000, 100_000, 1_000_000] {
      let result = try await DurableLog(mutations: mutations, hasSnapshots: hasSnapshots).measure()
      print(
        String(
          format: "  %8d mutations, %@ snapshots: loaded in %7.2f ms, %8.0f replayed a second, "
            + "%.0f bytes each",
          mutations, (hasSnapshots ? "with" : "without") as NSString,
          result.load / .milliseconds(1), Double(mutations) / (result.replay / .seconds(1)),
          result.bytesPerMutation))
    }
  }
}

if CommandLine.arguments.contains("streams") {
  StreamBenchmarks.run()
  exit(0)
}

if CommandLine.arguments.contains("in-process") {
  for _ in 0..<5 { print("in-process POST:", InProcess.post(count: 200_000)) }
  exit(0)
}

do {
  if CommandLine.arguments.contains("loading") {
    try await reportLoading()
    exit(0)
  }
  if CommandLine.arguments.contains("durable") {
    for connections in [1, 32, 64, 256] {
      try compare([memory, durable], connections: connections)
    }
    exit(0)
  }
  for connections in [1, 32] {
    try compare([bare, memory, durable], connections: connections)
  }
  try await reportLoading()
} catch {
  FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
  exit(1)
}
