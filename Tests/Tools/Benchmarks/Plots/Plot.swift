/// A plot of figures over a size, with a line per contestant.
struct Plot: Codable {
  /// The file name.
  let name: String
  let title: String
  let x: Axis
  let y: Axis
  let series: [Series]

  struct Axis: Codable {
    let title: String
    /// Whether the axis is logarithmic.
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
