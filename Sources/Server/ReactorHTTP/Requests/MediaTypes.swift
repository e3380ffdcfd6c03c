/// Media types in `Accept` and `Content-Type` (RFC 9110, 8.3 and 12.5.1).
enum MediaTypes {
  /// Chooses the offered type that `Accept` prefers, the first one among equals, or returns `nil` if the field
  /// excludes all of them.
  static func choose(from offered: [String], accept: String?) -> String? {
    guard let accept, let first = offered.first else { return offered.first }
    if accept == "*/*" { return first }
    let ranges = accept.split(separator: ",").compactMap { range(String($0)) }
    guard !ranges.isEmpty else { return first }
    var best: (type: String, quality: Double)?
    for type in offered {
      // The most specific range that matches decides.
      let quality =
        ranges.filter { $0.matches(type) }.max { $0.specificity < $1.specificity }?.quality ?? 0
      if quality > best?.quality ?? 0 { best = (type, quality) }
    }
    return best?.type
  }

  /// Whether a `Content-Type` is JSON in UTF-8.
  static func isJSON(_ contentType: String) -> Bool {
    if contentType == "application/json" { return true }
    let parts = contentType.split(separator: ";", omittingEmptySubsequences: false)
    guard let type = parts.first?.trimmingSpaces().lowercased(), type == "application/json" else {
      return false
    }
    return parts.dropFirst().allSatisfy { parameter in
      let word = parameter.split(separator: "=", maxSplits: 1).map {
        $0.trimmingSpaces().lowercased()
      }
      guard word.first == "charset" else { return true }
      return word.count == 2 && word[1].filter { $0 != "\"" } == "utf-8"
    }
  }

  private struct Range {
    let type: Substring
    let subtype: Substring
    let quality: Double

    var specificity: Int { type == "*" ? 0 : subtype == "*" ? 1 : 2 }

    func matches(_ offered: String) -> Bool {
      let words = offered.split(separator: "/", maxSplits: 1)
      return type == "*" || (words[0] == type && (subtype == "*" || words.last == subtype))
    }
  }

  private static func range(_ text: String) -> Range? {
    let parts = text.lowercased().split(separator: ";").map { String($0.trimmingSpaces()) }
    guard let name = parts.first else { return nil }
    let words = name.split(separator: "/", maxSplits: 1)
    guard words.count == 2 else { return nil }
    var quality = 1.0
    for parameter in parts.dropFirst() where parameter.hasPrefix("q=") {
      quality = Double(parameter.dropFirst(2)) ?? 0
    }
    return Range(type: words[0], subtype: words[1], quality: quality)
  }
}
