import Foundation

/// A run of benchmarks: how long to measure, and all that was found.
final class Bench {
  /// How long one measurement takes.
  let seconds: Double
  /// How often each is taken; the median counts.
  let rounds: Int
  /// Where the programs under test are.
  let programs: URL
  /// Where the table, the figures and the plots go.
  let output: URL

  private(set) var figures: [Figure] = []
  private(set) var plots: [Plot] = []
  private var scenario = ""
  private let table = Table()

  /// Takes its settings from the environment: BENCH_SECONDS and BENCH_ROUNDS.
  init() throws {
    let environment = ProcessInfo.processInfo.environment
    seconds = try Self.number("BENCH_SECONDS", in: environment) ?? 2
    rounds = Int(try Self.number("BENCH_ROUNDS", in: environment) ?? 3)
    programs = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    output = URL(fileURLWithPath: environment["BENCH_OUTPUT"] ?? ".build/bench")
    try FileManager.default.createDirectory(at: output, withIntermediateDirectories: true)
  }

  private static func number(
    _ name: String, in environment: [String: String]
  ) throws -> Double? {
    guard let text = environment[name], !text.isEmpty else { return nil }
    guard let number = Double(text), number >= 0.1, number <= 3600 else {
      throw BenchmarkError("\(name) is a number from 0.1 to 3600: \(text)")
    }
    return number
  }

  /// Measures a scenario, and tells what it gave as it comes.
  func run(_ scenario: Scenario) async throws {
    self.scenario = scenario.name
    say("\n\(scenario.name): \(scenario.summary)")
    try await scenario.run(self)
  }

  /// Lets contestants work in turns, so that a change of the machine's mood meets all of them; in
  /// another order each time, so that what the machine does every few seconds does, too.
  func inTurns<Result>(
    _ contestants: [Contestant], rounds: Int? = nil,
    _ measure: (Contestant) throws -> Result
  ) throws -> [String: [Result]] {
    var results: [String: [Result]] = [:]
    for _ in 0..<(rounds ?? self.rounds) {
      for contestant in contestants.shuffled() {
        results[contestant.name, default: []].append(try measure(contestant))
      }
    }
    return results
  }

  /// Keeps a figure and prints it.
  func report(_ figure: Figure) {
    var figure = figure
    figure.scenario = scenario
    figures.append(figure)
    say(table.row(figure))
  }

  /// Tells something at once, into a pipe, too.
  private func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Keeps a plot and writes its picture.
  func draw(_ plot: Plot) throws {
    plots.append(plot)
    let file = output.appending(path: plot.name + ".svg")
    try PlotDrawing(plot).svg.write(to: file, atomically: true, encoding: .utf8)
    print("  \(plot.title): \(file.relativePath)")
  }

  /// Prints which aims were reached, and writes all figures where a program can read them.
  func finish() throws {
    let aimed = figures.filter { $0.aim != nil }
    if !aimed.isEmpty {
      print("\nWhat is aimed at")
      for figure in aimed { print(table.row(figure, withScenario: true)) }
    }
    let file = output.appending(path: "figures.json")
    try Report(self).json.write(to: file)
    print("\nFigures and plots are in \(output.relativePath).")
  }
}

/// Why a measurement could not be taken.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
