/// One line of the table: what was measured, beside what, and what is aimed at.
struct Figure: Codable {
  /// The scenario's name on the command line.
  var scenario = ""
  /// What exactly was done, such as "32 connections".
  let load: String
  /// Who did it.
  let contestant: String
  /// What the value counts, such as "answers/s".
  let unit: String
  let value: Sample
  /// The ratio to another contestant of the same run.
  var ratio: Ratio?
  var aim: Aim?

  /// How many times the value of another one this one is.
  struct Ratio: Codable {
    let to: String
    let value: Sample
  }

  /// Whether the median is where it should be; of the ratio, if there is one.
  var isReached: Bool? {
    aim?.isReached(by: (ratio?.value ?? value).median)
  }
}

/// What is aimed at.
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
