/// The distribution of repeated measurements.
struct Sample: Codable, Equatable {
  let median: Double
  let least: Double
  let most: Double

  /// Summarises at least one measurement.
  init(_ values: [Double]) {
    let sorted = values.sorted()
    median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    least = sorted.first ?? .nan
    most = sorted.last ?? .nan
  }

  /// Summarises the lowest quarter of the measurements.
  ///
  /// Other load can only lengthen a time, so the lowest measurements are the least disturbed (Chen,
  /// Revels: Robust benchmarking in noisy environments, 2016).
  init(leastQuarterOf values: [Double]) {
    self.init(Array(values.sorted().prefix(max(1, values.count / 4))))
  }

  /// Summarises the ratios of alternating measurements, paired by round.
  init(_ values: [Double], dividedBy others: [Double]) {
    self.init(zip(values, others).map { $1 == 0 ? .infinity : $0 / $1 })
  }
}

extension [Double] {
  /// Returns the value that a part of the values does not exceed; NaN without values.
  func quantile(_ part: Double) -> Double {
    guard !isEmpty else { return .nan }
    return sorted()[Swift.min(count - 1, Int(Double(count) * part))]
  }
}
