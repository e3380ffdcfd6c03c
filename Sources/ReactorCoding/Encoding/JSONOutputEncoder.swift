/// The encoder of one value, at the place in the output where that value stands.
struct JSONOutputEncoder: Encoder {
  let output: JSONOutput
  /// The frame around the value; `nil` at the root.
  let place: JSONOutput.Place?
  /// Where the value starts in the output.
  let start: UInt32

  init(output: JSONOutput, inside place: JSONOutput.Place?) {
    self.output = output
    self.place = place
    self.start = UInt32(truncatingIfNeeded: output.bytes.count)
  }

  var codingPath: [any CodingKey] { output.path }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      JSONKeyedOutput<Key>(output: output, place: place(of: JSONKeyedOutput<Key>.kind)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    JSONUnkeyedOutput(output: output, place: place(of: .array))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Opens the value's container; a second request for the same kind gets the same container, as
  /// classes need whose superclass writes beside them.
  private func place(of kind: JSONOutput.Kind) -> JSONOutput.Place {
    let depth = depth
    if depth < output.frames.count {
      let frame = output.frames[depth]
      if frame.kind == kind, frame.start == Int(start) {
        return JSONOutput.Place(
          depth: UInt32(truncatingIfNeeded: depth), identity: frame.identity)
      }
    }
    guard canWrite else {
      output.report(output.closed())
      return JSONOutput.Place(depth: .max, identity: 0)
    }
    return output.open(kind)
  }

  /// How many frames are around the value.
  private var depth: Int { place.map { Int($0.depth) + 1 } ?? 0 }

  /// Whether nothing was written yet where the value stands.
  var canWrite: Bool {
    guard output.bytes.count == Int(start), output.frames.count == depth else { return false }
    guard let place else { return true }
    return output.frames[Int(place.depth)].identity == place.identity
  }

  /// Writes the whole value through `write`.
  @inline(__always)
  func splice(_ write: (inout [UInt8]) throws -> Void) throws {
    guard canWrite else { throw output.closed() }
    try write(&output.bytes)
  }
}

extension JSONOutput {
  /// Writes a value at the end of the text, inside the frame that is innermost.
  @inline(__always)
  func write<Value: Encodable>(_ value: Value, inside place: Place?) throws {
    let depth = frames.count
    let start = bytes.count
    try value.encode(to: JSONOutputEncoder(output: self, inside: place))
    if frames.count > depth { close(downTo: depth) }
    // A value that writes nothing is an object without members.
    if bytes.count == start { bytes.append(contentsOf: [ASCII.openBrace, ASCII.closeBrace]) }
  }

  /// Writes a floating-point number, if it is one that JSON knows.
  @inline(__always)
  func write<Value: BinaryFloatingPoint & CustomStringConvertible>(_ value: Value) throws {
    guard value.isFinite else { throw cannotExpress(value) }
    bytes.appendJSON(value)
  }
}
