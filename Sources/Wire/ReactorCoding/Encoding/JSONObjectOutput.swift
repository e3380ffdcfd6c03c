/// Writes an object by member names instead of coding keys.
///
/// Static names must be ASCII without escapes, and not `_0`.
///
/// A container of `Codable` is generic in its keys, so that the types of the container, its box and
/// its keys are looked up at run time for each object. Types whose values are written very often,
/// and generic types in particular, write their members with this type instead. The text and the
/// errors are the same as those of a container: the error of a value has its path, and writing to a
/// closed object is an error.
package struct JSONObjectOutput {
  fileprivate let output: JSONOutput
  fileprivate let place: JSONOutput.Place

  fileprivate init(_ output: JSONOutput, _ place: JSONOutput.Place) {
    self.output = output
    self.place = place
  }

  /// Opens the object that an encoder writes, or returns `nil` for an encoder of another module.
  package init?(_ encoder: any Encoder) {
    guard let encoder = identical(encoder, to: JSONOutputEncoder.self) else { return nil }
    self.init(encoder.output, encoder.place(of: .object))
  }

  package func encode(_ value: String, as name: StaticString) throws {
    try begin(name)
    output.bytes.appendJSON(value)
  }

  package func encode(_ value: Int, as name: StaticString) throws {
    try begin(name)
    output.bytes.appendJSON(value)
  }

  package func encode(_ value: Bool, as name: StaticString) throws {
    try begin(name)
    output.bytes.appendJSON(value)
  }

  package func encode(_ value: some Encodable, as name: StaticString) throws {
    try begin(name)
    try output.write(value, inside: place)
  }

  /// Writes a member whose name is not known at compile time.
  package func encode(_ value: some Encodable, named name: String) throws {
    let index = try begin()
    output.recordName(name, at: index)
    output.bytes.appendJSON(name)
    output.bytes.append(ASCII.colon)
    try output.write(value, inside: place)
  }

  package func encodeNil(as name: StaticString) throws {
    try begin(name)
    output.bytes.appendJSONNull()
  }

  /// Writes a text that needs no escapes.
  ///
  /// - Parameters:
  ///   - name: The name of the member.
  ///   - append: Appends the text.
  /// - Throws: `EncodingError` if the object is closed.
  package func encodeUnescaped(as name: StaticString, _ append: (inout [UInt8]) -> Void) throws {
    try begin(name)
    output.bytes.append(ASCII.quote)
    append(&output.bytes)
    output.bytes.append(ASCII.quote)
  }

  /// Opens an object as a member.
  package func object(as name: StaticString) throws -> JSONObjectOutput {
    try begin(name)
    return JSONObjectOutput(output, output.open(.object))
  }

  /// Opens an array as a member.
  package func array(as name: StaticString) throws -> JSONArrayOutput {
    try begin(name)
    return JSONArrayOutput(output: output, place: output.open(.array))
  }

  /// Writes the first members and returns their text.
  ///
  /// - Parameter write: Writes the members.
  /// - Returns: The text of the members, for ``append(firstMembers:)``.
  /// - Throws: The error of `write`.
  package func firstMembers(_ write: () throws -> Void) throws -> [UInt8] {
    let start = output.bytes.count
    try write()
    _ = output.resume(place)
    return Array(output.bytes[start...])
  }

  /// Writes the first members as text.
  ///
  /// - Parameter text: The text that ``firstMembers(_:)`` returned.
  /// - Throws: `EncodingError` if the object is closed.
  package func append(firstMembers text: [UInt8]) throws {
    _ = try begin()
    output.bytes.append(contentsOf: text)
  }

  /// Writes a name that is ASCII and needs no escapes.
  @inline(__always)
  private func begin(_ name: StaticString) throws {
    _ = try begin()
    output.bytes.append(ASCII.quote)
    name.withUTF8Buffer { unsafe output.bytes.append(contentsOf: $0) }
    output.bytes.append(ASCII.quote)
    output.bytes.append(ASCII.colon)
  }

  /// Separates the next member from the one before.
  ///
  /// - Returns: The index of the object's frame.
  private func begin() throws -> Int {
    guard let index = output.resume(place) else { throw output.closed() }
    output.separate(at: index)
    return index
  }
}

extension JSONCoder {
  /// Returns the JSON of an object.
  ///
  /// - Parameter write: Writes its members.
  /// - Returns: The compact JSON.
  /// - Throws: The error of `write`.
  package static func encodeObject(
    _ write: (JSONObjectOutput) throws -> Void
  ) throws -> [UInt8] {
    let output = JSONOutput()
    try write(JSONObjectOutput(output, output.open(.object)))
    output.close(downTo: 0)
    if let misuse = output.misuse { throw misuse }
    return output.takeBytes()
  }
}

/// Writes an array of objects, see ``JSONObjectOutput``.
package struct JSONArrayOutput {
  fileprivate let output: JSONOutput
  fileprivate let place: JSONOutput.Place

  /// Writes the next element as text.
  package func append(_ json: [UInt8]) throws {
    try begin()
    output.bytes.append(contentsOf: json)
  }

  /// Writes an object as the next element.
  ///
  /// - Parameter write: Writes its members.
  /// - Returns: The text of the object.
  /// - Throws: The error of `write`, or `EncodingError` if the array is closed.
  package func object(_ write: (JSONObjectOutput) throws -> Void) throws -> [UInt8] {
    try begin()
    let start = output.bytes.count
    try write(JSONObjectOutput(output, output.open(.object)))
    _ = output.resume(place)
    return Array(output.bytes[start...])
  }

  private func begin() throws {
    guard let index = output.resume(place) else { throw output.closed() }
    output.separate(at: index)
  }
}
