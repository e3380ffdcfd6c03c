/// How figures depend on a size: a line for each contestant.
struct Plot: Codable {
  /// The name of its file.
  let name: String
  let title: String
  let x: Axis
  let y: Axis
  let series: [Series]

  struct Axis: Codable {
    let title: String
    /// Whether equal distances are equal ratios.
    var isLogarithmic = true
  }

  struct Series: Codable {
    let name: String
    let points: [Point]
  }

  struct Point: Codable {
    let x: Double
    let y: Double
  }
}
