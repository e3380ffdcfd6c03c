internal import ReactorCoding

/// Computes and applies the patch between two documents.
enum PatchFuzzing {
  /// The text before the first line feed is the old document, the rest the new one.
  static func run(_ bytes: [UInt8]) {
    guard let (old, new) = documents(bytes) else { return }
    let written = JSONDifference.patch(from: old, to: new)
    guard let document = try? JSONDocument(parsing: written),
      let patch = try? JSONPatch(document.root)
    else { fatalError("the difference is no patch") }
    guard let patched = try? patch.applied(to: JSONValue(old.root)) else {
      fatalError("the patch cannot be applied")
    }
    require(patched.isEquivalent(to: JSONValue(new.root)), "the patch leads to the new document")
  }

  /// Computes the patch without checking postconditions.
  static func compareOnly(_ bytes: [UInt8]) {
    guard let (old, new) = documents(bytes) else { return }
    _ = JSONDifference.patch(from: old, to: new)
  }

  private static func documents(_ bytes: [UInt8]) -> (JSONDocument, JSONDocument)? {
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let old = try? JSONDocument(parsing: Array(parts[0])),
      let new = try? JSONDocument(parsing: Array(parts[1]))
    else { return nil }
    return (old, new)
  }
}
