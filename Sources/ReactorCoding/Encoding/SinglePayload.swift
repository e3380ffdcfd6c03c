/// The labelled form of a payload that is one value without a label: `{"_0":7}`.
enum SinglePayload {
  /// What stands before the value.
  static let opening = Array(#"{"_0":"#.utf8)

  private static let label = Array(#""_0""#.utf8)

  /// Whether a payload is an object with a member `_0`, so that it would be read as the labelled
  /// form of something else.
  static func isMistakable(_ payload: ArraySlice<UInt8>) -> Bool {
    guard payload.first == ASCII.openBrace else { return false }
    // Only spliced JSON may spell the name with an escape.
    guard payload.contains(ASCII.backslash) || contains(payload, label) else { return false }
    guard let document = try? JSONDocument(parsing: Array(payload), depthLimit: .max) else {
      return true
    }
    return document.root[CaseShape.singleLabel] != nil
  }

  private static func contains(_ text: ArraySlice<UInt8>, _ part: [UInt8]) -> Bool {
    text.withUnsafeBufferPointer { text in
      guard text.count >= part.count else { return false }
      return (0...text.count - part.count).contains { start in
        text[start] == part[0] && text[start..<start + part.count].elementsEqual(part)
      }
    }
  }
}
