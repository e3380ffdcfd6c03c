/// The encoder of one value at its position in the output.
struct JSONOutputEncoder: Encoder {
  let output: JSONOutput
  /// The enclosing frame, or `nil` at the root.
  let place: JSONOutput.Place?
  /// The offset of the value in the output.
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
    JSONUnkeyedOutput(
      output: output, place: place(of: UnorderedCollections.kind(of: output.valueType)))
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// Opens the container of the value.
  ///
  /// A repeated call of the same kind returns the same container, which subclasses rely on when
  /// they encode beside their superclass.
  func place(of kind: JSONOutput.Kind) -> JSONOutput.Place {
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
      return .closed
    }
    return output.open(kind)
  }

  /// The number of enclosing frames.
  private var depth: Int { place.map { Int($0.depth) + 1 } ?? 0 }

  /// Whether no value has been written here yet.
  var canWrite: Bool {
    guard output.bytes.count == Int(start), output.frames.count == depth else { return false }
    guard let place else { return true }
    return output.frames[Int(place.depth)].identity == place.identity
  }

  /// Writes a complete JSON text by calling `write`.
  ///
  /// - Parameter write: Appends the text and returns its depth. It gets the maximum depth, beyond
  ///   which the text may be incomplete.
  /// - Throws: ``JSONDepthError`` beyond the maximum depth, or `EncodingError` if a value was
  ///   written before.
  func spliceJSON(_ write: (_ output: inout [UInt8], _ limit: Int) -> Int) throws {
    let limit = output.levelsLeft
    var levels = 0
    try splice { levels = write(&$0, limit) }
    guard output.include(levels: levels) else { throw output.closed() }
    guard output.isInPayload, SinglePayload.isAmbiguous(output.bytes[Int(start)...]) else { return }
    output.markLabelledPayload()
  }

  /// Writes the complete value by calling `write`.
  @inline(__always)
  func splice(_ write: (inout [UInt8]) throws -> Void) throws {
    guard canWrite else { throw output.closed() }
    try write(&output.bytes)
  }
}

extension JSONOutput {
  /// Appends a value inside the innermost frame.
  @inline(__always)
  func write<Value: Encodable>(_ value: Value, inside place: Place?) throws {
    if FoundationValue(Value.self) != nil { return try writeFoundationValue(value) }
    let depth = frames.count
    let start = bytes.count
    valueType = Value.self
    if try elements?.write(value, to: self, inside: place) != true {
      try value.encode(to: JSONOutputEncoder(output: self, inside: place))
    }
    if frames.count > depth { close(downTo: depth) }
    // A value that encodes nothing is an empty object.
    if bytes.count == start { bytes.append(contentsOf: [ASCII.openBrace, ASCII.closeBrace]) }
  }

  @inline(never)
  private func writeFoundationValue<Value>(_ value: Value) throws {
    // The error has the number: the description of a Date that is not finite traps.
    if let number = FoundationValue.append(value, to: &bytes) { throw cannotExpress(number) }
  }

  /// Appends a floating-point number; throws for NaN and infinity.
  @inline(__always)
  func write<Value: BinaryFloatingPoint & CustomStringConvertible>(_ value: Value) throws {
    guard value.isFinite else { throw cannotExpress(value) }
    bytes.appendJSON(value)
  }
}
