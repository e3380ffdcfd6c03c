import Foundation

/// A benchmark run: its settings and results.
final class Bench {
  /// The duration of one measurement.
  let seconds: Double
  /// The number of measurements per figure; their median counts.
  let rounds: Int
  /// The folder of the programs under test.
  let programs: URL
  /// The folder of the table, figures and plots.
  let output: URL

  private(set) var figures: [Figure] = []
  private(set) var plots: [Plot] = []
  private var scenario = ""
  private let table = Table()

  /// Reads the settings from the environment: BENCH_SECONDS and BENCH_ROUNDS.
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

  /// Measures a scenario and prints its figures as they arrive.
  func run(_ scenario: Scenario) async throws {
    self.scenario = scenario.name
    say("\n\(scenario.name): \(scenario.summary)")
    try await scenario.run(self)
  }

  /// Measures all contestants in each round, in a random order.
  ///
  /// Drift of the machine and periodic load therefore affect all contestants.
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

  /// Records and prints a figure.
  func report(_ figure: Figure) {
    var figure = figure
    figure.scenario = scenario
    figures.append(figure)
    say(table.row(figure))
  }

  /// Prints a line and flushes, also into a pipe.
  private func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  /// Records a plot and writes its picture.
  func draw(_ plot: Plot) throws {
    plots.append(plot)
    let file = output.appending(path: plot.name + ".svg")
    try PlotDrawing(plot).svg.write(to: file, atomically: true, encoding: .utf8)
    print("  \(plot.title): \(file.relativePath)")
  }

  /// Prints which targets were met, and writes all figures as JSON.
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

/// A failed measurement, with its reason.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
