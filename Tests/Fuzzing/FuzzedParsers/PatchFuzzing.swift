internal import ReactorCoding

/// The patch between any two documents.
enum PatchFuzzing {
  /// What stands before the first line feed is the old document, what follows the new one.
  static func run(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let old = try? JSONDocument(parsing: Array(parts[0])),
      let new = try? JSONDocument(parsing: Array(parts[1]))
    else { return }
    let written = JSONDifference.patch(from: old, to: new)
    guard let document = try? JSONDocument(parsing: written),
      let patch = try? JSONPatch(document.root)
    else { fatalError("what was written is no patch") }
    guard let patched = try? patch.applied(to: JSONValue(old.root)) else {
      fatalError("the patch cannot be applied")
    }
    require(patched.isEquivalent(to: JSONValue(new.root)), "the patch leads to the new document")
  }
}
