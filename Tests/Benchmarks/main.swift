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
let counter = Contestant(
  name: "reactord, counter, memory store", program: "reactord",
  arguments: ["serve", "--listen", "127.0.0.1:0", "--store", "memory", "--log-level", "error"],
  path: "/v1/reactors/counter/sessions/bench/actions")

if CommandLine.arguments.contains("streams") {
  StreamBenchmarks.run()
  exit(0)
}

if CommandLine.arguments.contains("in-process") {
  for _ in 0..<5 { print("in-process POST:", InProcess.post(count: 200_000)) }
  exit(0)
}

do {
  for connections in [1, 32] {
    var rates: [String: [Double]] = [:]
    for _ in 0..<rounds {
      for contestant in [bare, counter] {
        rates[contestant.name, default: []].append(try contestant.rate(connections: connections))
      }
    }
    print("POST \"increase\", \(connections) keep-alive connections, answers a second")
    let floor = (rates[bare.name] ?? []).sorted()[rounds / 2]
    for contestant in [bare, counter] {
      let sorted = (rates[contestant.name] ?? []).sorted()
      print(
        String(
          format: "  %-34@ %8.0f  (%.0f to %.0f)  ratio %.2f", contestant.name as NSString,
          sorted[rounds / 2], sorted.first ?? 0, sorted.last ?? 0, sorted[rounds / 2] / floor))
    }
  }
} catch {
  FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
  exit(1)
}
