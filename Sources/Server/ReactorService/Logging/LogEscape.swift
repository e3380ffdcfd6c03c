/// Escapes untrusted text for a log line, so that it cannot end the line, control the terminal or
/// change the direction of text.
enum LogEscape {
  /// For unquoted words in the text format: `\n`, `\u{1b}`.
  case plain

  /// For quoted values in the text format: `\n`, `\u{1b}`, `\"`.
  case quoted

  /// For JSON strings: `\n`, `\u001b`.
  case json

  /// Appends the escaped text, truncated to `limit` bytes including a final `…`.
  func write(_ text: String, to bytes: inout [UInt8], limit: Int) {
    let ellipsis = "…".utf8
    let end = bytes.count + limit
    var cut = bytes.count
    for scalar in text.unicodeScalars {
      append(scalar, to: &bytes)
      if bytes.count + ellipsis.count <= end {
        cut = bytes.count
      } else if bytes.count > end {
        bytes.removeSubrange(cut...)
        bytes.append(contentsOf: ellipsis)
        return
      }
    }
  }

  /// Returns whether a value needs quotes in the text format.
  static func needsQuotes(_ value: String) -> Bool {
    value.isEmpty
      || value.utf8.contains { byte in
        switch byte {
        case 0...0x20, UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "\\"): true
        default: false
        }
      }
  }

  private func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch scalar {
    case "\"", "\\":
      if self != .plain { bytes.append(UInt8(ascii: "\\")) }
      bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    case "\n": bytes.append(contentsOf: #"\n"#.utf8)
    case "\r": bytes.append(contentsOf: #"\r"#.utf8)
    case "\t": bytes.append(contentsOf: #"\t"#.utf8)
    case _ where Self.isHarmless(scalar):
      bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default:
      appendCode(of: scalar, to: &bytes)
    }
  }

  private func appendCode(of scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    switch self {
    case .plain, .quoted:
      bytes.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".utf8)
    case .json:
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
        bytes.append(contentsOf: "\\u\(zeros)\(digits)".utf8)
      }
    }
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return false
    default: return true
    }
  }
}
