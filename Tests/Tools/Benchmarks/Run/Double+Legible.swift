import Foundation

extension Double {
  /// The value with three significant digits and grouped thousands: 0.123, 12.3, 123, 12,300.
  var legible: String {
    guard isFinite else { return "–" }
    let size = abs(self)
    if size == 0 || size == rounded(), size < 1000 { return String(format: "%.0f", self) }
    if size < 0.01 { return String(format: "%.4f", self) }
    if size < 1 { return String(format: "%.3f", self) }
    if size < 10 { return String(format: "%.2f", self) }
    if size < 100 { return String(format: "%.1f", self) }
    var digits = Array(String(format: "%.0f", size))
    for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
    return (self < 0 ? "-" : "") + String(digits)
  }
}
