import Foundation

/// Maps values to positions along an axis and selects the ticks.
struct PlotScale {
  /// The tick values in ascending order.
  let ticks: [Double]

  private let isLogarithmic: Bool
  private let lowest: Double
  private let highest: Double
  private let start: Double
  private let end: Double

  /// Creates an axis between two positions that covers the values.
  ///
  /// A linear axis starts at zero. A logarithmic axis omits values that are not positive.
  init(covering values: [Double], isLogarithmic: Bool, from start: Double, to end: Double) {
    self.isLogarithmic = isLogarithmic
    self.start = start
    self.end = end
    let ticks = isLogarithmic ? Self.powers(values) : Self.steps(values)
    self.ticks = ticks
    lowest = ticks.first ?? 0
    highest = ticks.last ?? 1
  }

  func place(_ value: Double) -> Double {
    let part =
      isLogarithmic
      ? log(max(value, lowest) / lowest) / log(highest / lowest)
      : (value - lowest) / (highest - lowest)
    return start + part * (end - start)
  }

  /// Powers of ten, with their multiples by two and five if the values span less than two powers.
  private static func powers(_ values: [Double]) -> [Double] {
    let values = values.filter { $0 > 0 && $0.isFinite }
    guard let least = values.min(), let most = values.max() else { return [1, 10] }
    let first = floor(log10(least) + 1e-9)
    let last = max(ceil(log10(most) - 1e-9), first + 1)
    let decades = Array(stride(from: first, through: last, by: 1)).map { pow(10, $0) }
    guard last - first <= 2 else { return decades }
    let all = decades.flatMap { [$0, 2 * $0, 5 * $0] }
    let from = all.lastIndex { $0 <= least * (1 + 1e-9) } ?? 0
    let through = all.firstIndex { $0 >= most * (1 - 1e-9) } ?? all.count - 1
    return Array(all[from...max(through, from + 1)])
  }

  /// Four to ten round steps from zero.
  private static func steps(_ values: [Double]) -> [Double] {
    let most = values.filter(\.isFinite).max() ?? 1
    guard most > 0 else { return [0, 1] }
    let power = pow(10, floor(log10(most)))
    let step = [0.2, 0.5, 1, 2].map { $0 * power }.first { most / $0 <= 8 } ?? power
    return (0...Int(ceil(most / step - 1e-9))).map { Double($0) * step }
  }
}
