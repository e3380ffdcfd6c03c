/// The labelled form of a single unlabelled associated value: `{"_0":7}`.
enum SinglePayload {
  /// The text before the value.
  static let opening = Array(#"{"_0":"#.utf8)

  /// Whether a spliced payload is an object with a member `_0`, which would be decoded as the labelled
  /// form.
  static func isAmbiguous(_ payload: ArraySlice<UInt8>) -> Bool {
    guard payload.first == ASCII.openBrace else { return false }
    guard let document = try? JSONDocument(parsing: Array(payload), depthLimit: .max) else {
      return true
    }
    return document.root[CaseShape.singleLabel] != nil
  }
}
