/// JSON for header fields, which take ASCII only.
enum JSONText {
  /// Returns the JSON with DEL and characters outside ASCII escaped, or `nil` if it is not UTF-8 or contains
  /// control characters.
  static func ascii(_ json: [UInt8]) -> String? {
    guard let text = String(validating: json, as: UTF8.self) else { return nil }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x20...0x7E: escaped.unicodeScalars.append(scalar)
      case 0..<0x20: return nil
      default:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return escaped
  }
}
