internal import Glibc
internal import ReactorCoding
internal import Synchronization

/// The latest parsed States and parts of States, shared by all views that compare them.
///
/// A parsed State takes several times the memory of its JSON, and each view of a session compares
/// the same States. Found by their bytes, so that an entry can never belong to another State.
final class DocumentCache: Sendable {
  private struct Entry {
    let json: ArraySlice<UInt8>
    let document: JSONDocument
  }

  /// The maximum number of bytes of JSON whose documents are retained.
  static let bound = 8_388_608
  /// Documents of texts up to this size are not retained, so that there are at most 1,024 entries.
  static let smallSize = 8_192

  /// The entries, the most recently used one last.
  private let entries = Mutex<[Entry]>([])

  /// Parses a text, or finds its document.
  ///
  /// - Parameters:
  ///   - json: The text.
  ///   - former: The document of a text that resembles it, or `nil` for none.
  /// - Returns: The document, or `nil` if the text is not JSON or is nested too deeply.
  func document(
    _ json: ArraySlice<UInt8>, after former: JSONDocument? = nil
  ) -> JSONDocument? {
    let isSmall = json.count <= Self.smallSize
    if !isSmall, let known = entries.withLock({ Self.find(json, in: &$0) }) { return known }
    let parsed =
      if let former {
        try? JSONDocument(parsing: Array(json), after: former)
      } else {
        try? JSONDocument(parsing: Array(json))
      }
    guard let document = parsed else { return nil }
    if isSmall { return document }
    entries.withLock { entries in
      guard !entries.contains(where: { $0.json.isIdentical(to: json) }) else { return }
      entries.append(Entry(json: json, document: document))
      var bytes = entries.reduce(0) { $0 + $1.json.count }
      while bytes > Self.bound {
        bytes -= entries.removeFirst().json.count
      }
    }
    return document
  }

  /// The number of bytes of JSON whose documents are retained.
  var size: Int { entries.withLock { $0.reduce(0) { $0 + $1.json.count } } }

  private static func find(
    _ json: ArraySlice<UInt8>, in entries: inout [Entry]
  ) -> JSONDocument? {
    // States of one session have the same length for a long time: two texts are compared, not all.
    let index =
      entries.lastIndex { $0.json.isIdentical(to: json) }
      ?? entries.indices.filter { entries[$0].json.count == json.count }.suffix(2)
      .last { entries[$0].json.hasSameBytes(as: json) }
    guard let index else { return nil }
    let document = entries.remove(at: index).document
    // With the text of the newest State, which the next comparison finds by its address.
    entries.append(Entry(json: json, document: document))
    return document
  }
}

extension ArraySlice<UInt8> {
  /// Whether both are the same part of the same storage.
  func isIdentical(to other: Self) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { own in
      unsafe other.withUnsafeBytes { unsafe own.baseAddress == $0.baseAddress }
    }
  }

  /// Compares bytes, a large text in a small part of the time of `==`.
  func hasSameBytes(as other: Self) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { own in
      unsafe other.withUnsafeBytes { other in
        guard let first = own.baseAddress, let second = other.baseAddress else { return true }
        return unsafe first == second || memcmp(first, second, own.count) == 0
      }
    }
  }
}
