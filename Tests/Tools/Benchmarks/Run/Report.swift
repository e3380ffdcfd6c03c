import Foundation

/// The machine-readable report of a run: all figures, all plots and the machine.
struct Report: Codable {
  let date: Date
  let processor: String
  let cores: Int
  let loadAverage: String
  let seconds: Double
  let rounds: Int
  let figures: [Figure]
  let plots: [Plot]

  init(_ bench: Bench) {
    date = .now
    processor = Machine.processor
    cores = ProcessInfo.processInfo.processorCount
    loadAverage = Machine.loadAverage
    seconds = bench.seconds
    rounds = bench.rounds
    figures = bench.figures
    plots = bench.plots
  }

  var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      encoder.dateEncodingStrategy = .iso8601
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "none")
      return try encoder.encode(self)
    }
  }
}

/// The machine that ran the benchmarks.
enum Machine {
  static var processor: String {
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = lines.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
  }

  /// The load averages over one, five and fifteen minutes.
  static var loadAverage: String {
    let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    return text.split(separator: " ").prefix(3).joined(separator: " ")
  }

  /// Whether the machine has other load: a load average of more than 0.5 over one minute.
  static var isBusy: Bool {
    (loadAverage.split(separator: " ").first.flatMap { Double($0) } ?? 0) > 0.5
  }
}
