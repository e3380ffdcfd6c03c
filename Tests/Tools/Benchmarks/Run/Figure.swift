/// A row of the table: a measurement, its comparison and its target.
struct Figure: Codable {
  /// The name of the scenario on the command line.
  var scenario = ""
  /// The workload, such as "32 connections".
  let load: String
  /// The measured contestant.
  let contestant: String
  /// The unit of the value, such as "responses/s".
  let unit: String
  let value: Sample
  /// The ratio to another contestant of the same run.
  var ratio: Ratio?
  var aim: Aim?

  /// The ratio of this value to the other one.
  struct Ratio: Codable {
    let to: String
    let value: Sample
  }

  /// Whether the median of the ratio, or of the value if there is none, meets the target.
  var isReached: Bool? {
    aim?.isReached(by: (ratio?.value ?? value).median)
  }
}

/// The target of a figure.
enum Aim: Codable, CustomStringConvertible {
  case atLeast(Double)
  case atMost(Double)

  func isReached(by value: Double) -> Bool {
    switch self {
    case .atLeast(let least): value >= least
    case .atMost(let most): value <= most
    }
  }

  var description: String {
    switch self {
    case .atLeast(let least): "≥ \(least.legible)"
    case .atMost(let most): "≤ \(most.legible)"
    }
  }
}
