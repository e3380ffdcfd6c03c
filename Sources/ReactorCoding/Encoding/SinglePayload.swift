/// The labelled form of a payload that is one value without a label: `{"_0":7}`.
enum SinglePayload {
  /// What stands before the value.
  static let opening = Array(#"{"_0":"#.utf8)

  /// Whether a payload is an object with a member `_0`, so that it would be read as the labelled
  /// form of something else.
  static func isMistakable(_ payload: ArraySlice<UInt8>) -> Bool {
    guard payload.first == ASCII.openBrace, mayContainLabel(payload) else { return false }
    guard let document = try? JSONDocument(parsing: Array(payload), depthLimit: .max) else {
      return true
    }
    return document.root[CaseShape.singleLabel] != nil
  }

  /// Whether `"_0"` occurs anywhere, or an escape that could spell it (only spliced JSON has one).
  private static func mayContainLabel(_ payload: ArraySlice<UInt8>) -> Bool {
    payload.withUnsafeBufferPointer { text in
      // The text ends in a brace, so what follows the last quote or backslash is in it.
      for index in text.indices.dropLast(3) {
        if text[index] == ASCII.quote {
          let isLabel =
            text[index + 1] == UInt8(ascii: "_") && text[index + 2] == ASCII.zero
            && text[index + 3] == ASCII.quote
          if isLabel { return true }
        } else if text[index] == ASCII.backslash, text[index + 1] == ASCII.lowerU {
          return true
        }
      }
      return false
    }
  }
}
