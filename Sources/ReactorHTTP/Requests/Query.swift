internal import ReactorCoding

/// The parameters of an address.
///
/// Where a name occurs more than once, the first one counts, but for those that may.
struct Query {
  private let values: [String: [String]]

  /// Reads what stood after the `?`.
  init(_ text: String?) throws(Problem) {
    var values: [String: [String]] = [:]
    for part in (text ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(pair[0], plusIsSpace: true),
        let value = PercentEncoding.decode(pair.count > 1 ? pair[1] : "", plusIsSpace: true)
      else {
        throw Problem(
          .invalidParameter,
          "The query is not percent-encoded UTF-8. Write % as %25 and encode other characters.")
      }
      values[name, default: []].append(value)
    }
    self.values = values
  }

  subscript(name: String) -> String? {
    values[name]?.first
  }

  /// The values of a parameter that may occur more than once, in order.
  func all(_ name: String) -> [String] {
    values[name] ?? []
  }

  /// A number within a range; `nil` where the parameter is not there.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = self[name] else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(text), range.contains(number)
    else {
      let bounds =
        range.upperBound == .max
        ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
      throw Problem(
        .invalidParameter, "The parameter \(name) takes a whole number: \(bounds).",
        members: [.init("parameter", .string(name))])
    }
    return number
  }

  /// The part of a state that is asked for; `nil` for the whole.
  func pointer(_ name: String) throws(Problem) -> JSONPointer? {
    guard let text = self[name] else { return nil }
    do {
      return try JSONPointer(text)
    } catch {
      throw Problem(
        .invalidPointer,
        """
        The parameter \(name) takes a JSON Pointer (RFC 6901): empty, or parts that each begin with \
        a slash, such as /user/name. Within a part ~ is written ~0 and / is written ~1.
        """,
        members: [.init("parameter", .string(name))])
    }
  }
}
