import Foundation

/// Formats figures as aligned rows.
struct Table {
  func row(_ figure: Figure, withScenario: Bool = false) -> String {
    let load = withScenario ? "\(figure.scenario): \(figure.load)" : figure.load
    var row = "  " + column(load, withScenario ? 52 : 34) + column(figure.contestant, 20)
    row += column(value(figure.value), 28, isRight: true) + column(figure.unit, 18)
    row += column(figure.ratio.map { "\(value($0.value)) × \($0.to)" } ?? "", 38)
    if let aim = figure.aim, let isReached = figure.isReached {
      row += "\(aim) \(isReached ? "reached" : "MISSED")"
    }
    while row.last == " " { row.removeLast() }
    return row
  }

  private func value(_ sample: Sample) -> String {
    let spread =
      sample.least == sample.most
      ? "" : " (\(sample.least.legible)–\(sample.most.legible))"
    return sample.median.legible + spread
  }

  private func column(_ text: String, _ width: Int, isRight: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - text.count))
    return (isRight ? space + text : text + space) + " "
  }
}
