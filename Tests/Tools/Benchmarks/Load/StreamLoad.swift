import Foundation

/// The project's load generator (`Tests/Tools/StreamLoad`), pinned to core 1: streams, concurrent
/// actions, and the latency from an action to each receipt of its event.
struct StreamLoad {
  let bench: Bench

  var subscribers = 0
  /// Additional streams that stop reading.
  var stalled = 0
  var sessions = 1
  var publishers = 1
  /// Actions per second; zero sends each action as soon as the previous one has its response.
  var rate: Double?
  /// A number of actions instead of a duration.
  var count: Int?
  var seconds: Double
  /// The number of actions per array.
  var batch = 1
  var drain = 10.0
  var pause = 0.5

  init(_ bench: Bench) {
    self.bench = bench
    seconds = bench.seconds
  }

  /// Loads a server and returns the report.
  func run(_ contestant: Contestant, _ server: ServerUnderTest) throws -> Outcome {
    let text = try Pinned.output(of: program, arguments(contestant, server))
    let outcome = try JSONDecoder().decode(Outcome.self, from: Data(text.utf8))
    try outcome.check(contestant, expecting: subscribers + stalled, count: count)
    return outcome
  }

  /// Creates sessions.
  func create(on server: ServerUnderTest, of contestant: Contestant) throws -> Outcome {
    let session = contestant.actions.replacingOccurrences(of: "/actions", with: "")
    let text = try Pinned.output(
      of: program,
      [
        "--port", "\(server.port)", "--pid", "\(server.id)", "--sessions", "\(sessions)",
        "--count", "\(sessions)", "--publishers", "\(publishers)", "--method", "PUT",
        "--body", "", "--actions", session, "--pause", "0",
      ])
    let outcome = try JSONDecoder().decode(Outcome.self, from: Data(text.utf8))
    try outcome.check(contestant, expecting: 0, count: sessions)
    return outcome
  }

  /// Holds the streams open while `body` runs, and passes the resources that they use to `body`.
  func hold<Result>(
    _ contestant: Contestant, _ server: ServerUnderTest, _ body: (Outcome) throws -> Result
  ) throws -> Result {
    let input = Pipe()
    let (process, output) = try Pinned.start(
      program, arguments(contestant, server) + ["--hold"], input: input)
    defer {
      try? input.fileHandleForWriting.close()
      process.waitUntilExit()
    }
    var text = Data()
    while !text.contains(UInt8(ascii: "\n")) {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw BenchmarkError("the streams could not be opened") }
      text += data
    }
    let outcome = try JSONDecoder().decode(Outcome.self, from: text)
    try outcome.check(contestant, expecting: subscribers)
    return try body(outcome)
  }

  private var program: URL { bench.programs.appending(path: "StreamLoad") }

  private func arguments(_ contestant: Contestant, _ server: ServerUnderTest) -> [String] {
    let body =
      batch == 1
      ? contestant.body
      : "[" + Array(repeating: contestant.body, count: batch).joined(separator: ",") + "]"
    var arguments = [
      "--port", "\(server.port)", "--pid", "\(server.id)", "--events", contestant.events,
      "--actions", contestant.actions, "--body", body, "--step", "\(batch)",
      "--subscribers", "\(subscribers)", "--stalled", "\(stalled)", "--sessions", "\(sessions)",
      "--publishers", "\(publishers)", "--seconds", "\(seconds)", "--drain", "\(drain)",
      "--pause", "\(pause)",
    ]
    if let rate { arguments += ["--rate", "\(rate)"] }
    if let count { arguments += ["--count", "\(count)"] }
    return arguments
  }
}
