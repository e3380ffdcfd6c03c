internal import Identity

/// The value of a setting that is a JSON array.
struct JSONList<Element: JSONListElement>: Sendable {
  /// The array as JSON.
  let json: String

  let elements: [Element]

  /// Creates an empty list.
  init() {
    json = "[]"
    elements = []
  }

  /// Reads a JSON array.
  init(_ bytes: [UInt8]) throws(ListSyntaxError) {
    elements = try Element.list(of: bytes)
    json = String(decoding: bytes, as: UTF8.self)
  }

  var isEmpty: Bool { elements.isEmpty }
}
