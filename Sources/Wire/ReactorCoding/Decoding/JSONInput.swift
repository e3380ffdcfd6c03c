/// A value that is being decoded, for types that read members by name and not by coding key.
///
/// The counterpart of ``JSONObjectOutput``: it reads the usual form of a value without the generic
/// containers of `Codable`, and returns `nil` for other forms. A type decodes these with
/// containers, which accept the value or throw an error with an explanation.
package struct JSONInput {
  private let reader: JSONReader

  private init(_ reader: JSONReader) {
    self.reader = reader
  }

  /// The value of a decoder, or `nil` for a decoder of another module.
  package init?(_ decoder: any Decoder) {
    guard let reader = identical(decoder, to: JSONReader.self) else { return nil }
    self.reader = reader
  }

  /// A value of a client's text, see ``JSONCoder/Strictness/strict``.
  init(_ element: JSONElement) {
    self.init(JSONReader(document: element.document, node: element.node, strictness: .strict))
  }

  /// The number of members of an object; 0 for other values.
  package var memberCount: Int {
    reader.entry.kind == .object ? Int(reader.entry.count) : 0
  }

  /// The text, or `nil` for other values, and for a text that the decoder rejects.
  package var string: String? {
    reader.entry.kind == .string ? try? reader.string() : nil
  }

  /// The value of a member, or `nil` if there is none.
  package subscript(name: String) -> JSONInput? {
    guard reader.entry.kind == .object else { return nil }
    return reader.document.member(named: name, of: reader.node).map { JSONInput(reader.at($0)) }
  }

  /// The value of an object's only member, or `nil` if it has another name, or there are several.
  package func onlyMember(named name: String) -> JSONInput? {
    guard memberCount == 1 else { return nil }
    let member = reader.node + 1
    let document = reader.document
    return document.isString(document.node(member), equalTo: name)
      ? JSONInput(reader.at(member + 1)) : nil
  }

  /// Decodes the value.
  ///
  /// - Throws: An error that is explained like that of a container.
  package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try reader.read(type)
  }
}
