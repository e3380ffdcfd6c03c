/// The part of a representation that a request selects with `Range` (RFC 9110, 14.2).
enum ByteRange: Equatable {
  /// All of it: without the field, with several ranges, and with a unit or a form that is not known.
  case whole
  case part(Range<Int>)
  case unsatisfiable

  /// Reads the field.
  ///
  /// - Parameters:
  ///   - field: The value of `Range`, or `nil` without it.
  ///   - size: The size of the representation.
  init(_ field: String?, of size: Int) {
    self = .whole
    guard let field, field.lowercased().hasPrefix("bytes=") else { return }
    let ends = field.dropFirst("bytes=".count).trimmingSpaces()
      .split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2 else { return }
    let numbers = ends.map { Self.number($0) }
    switch (ends[0].isEmpty, ends[1].isEmpty, numbers[0], numbers[1]) {
    case (true, false, _, let count?):
      self = count == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - count)..<size)
    case (false, true, let first?, _):
      self = first < size ? .part(first..<size) : .unsatisfiable
    case (false, false, let first?, let last?) where first <= last:
      self = first < size ? .part(first..<min(size, last &+ 1)) : .unsatisfiable
    default: return
    }
  }

  /// Returns a number of digits; the largest of 15 digits for a longer one, or `nil` for another text.
  private static func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let digits = text.drop { $0 == "0" }
    return digits.utf8.count > 15 ? 999_999_999_999_999 : Int(text.suffix(15))
  }
}
