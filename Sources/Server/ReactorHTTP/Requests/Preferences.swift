/// The value of `Prefer` (RFC 7240); unknown preferences are ignored.
struct Preferences {
  /// The longest wait in seconds.
  static let longestWait = 3600

  var respondsAsynchronously = false
  var wait: Int?
  var isMinimal = false
  /// Whether the client may not read the State: then the response has the cursor only.
  var hidesState = false

  /// Whether the response has no body.
  var omitsState: Bool { isMinimal || hidesState }

  /// Parses the field; the first of repeated preferences counts.
  init(_ field: String?) {
    guard let field else { return }
    var seen: Set<String> = []
    for preference in field.split(separator: ",") {
      let word = (preference.split(separator: ";").first ?? "").split(
        separator: "=", maxSplits: 1)
      guard let name = word.first?.trimmingSpaces().lowercased(), seen.insert(name).inserted
      else { continue }
      let value = word.count > 1 ? word[1].trimmingSpaces().filter { $0 != "\"" } : ""
      switch name {
      case "respond-async": respondsAsynchronously = true
      case "return": isMinimal = value.lowercased() == "minimal"
      case "wait":
        guard !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
          continue
        }
        wait = min(Int(value) ?? Self.longestWait, Self.longestWait)
      default: break
      }
    }
  }

  /// The preferences that apply to a response with the outcome: without `respond-async`.
  var ofFinalResponse: Preferences {
    var preferences = self
    preferences.respondsAsynchronously = false
    return preferences
  }

  /// The value of `Preference-Applied`, or `nil` if none is applied.
  var applied: String? {
    var words: [String] = []
    if respondsAsynchronously { words.append("respond-async") }
    if let wait, !respondsAsynchronously { words.append("wait=\(wait)") }
    if isMinimal { words.append("return=minimal") }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}
