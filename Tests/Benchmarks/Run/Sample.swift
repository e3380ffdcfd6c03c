/// What several measurements of the same gave.
struct Sample: Codable, Equatable {
  let median: Double
  let least: Double
  let most: Double

  /// Describes measurements, of which there is at least one.
  init(_ values: [Double]) {
    let sorted = values.sorted()
    median = sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    least = sorted.first ?? .nan
    most = sorted.last ?? .nan
  }

  /// Describes the least quarter of measurements.
  ///
  /// What else a machine does only ever adds to a time, so the least of many tell most of what was
  /// measured (Chen, Revels: Robust benchmarking in noisy environments, 2016).
  init(leastQuarterOf values: [Double]) {
    self.init(Array(values.sorted().prefix(max(1, values.count / 4))))
  }

  /// The ratios of measurements that were taken in turns, each with the other one of its round.
  init(_ values: [Double], dividedBy others: [Double]) {
    self.init(zip(values, others).map { $1 == 0 ? .infinity : $0 / $1 })
  }
}
