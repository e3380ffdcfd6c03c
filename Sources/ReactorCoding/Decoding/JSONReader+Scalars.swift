extension JSONReader {
  @inline(__always)
  var isNull: Bool { entry.kind == .null }

  @inline(__always)
  func boolean() throws -> Bool {
    let entry = entry
    guard entry.kind == .boolean else { throw mismatch("boolean").wrapped() }
    return document.bytes[Int(entry.start)] == ASCII.lowerT
  }

  @inline(__always)
  func string() throws -> String {
    let entry = entry
    guard entry.kind == .string else { throw mismatch("string").wrapped() }
    return document.string(entry)
  }

  @inline(__always)
  func integer<Integer: FixedWidthInteger>() throws -> Integer {
    let entry = entry
    guard entry.kind == .number else { throw mismatch("integer").wrapped() }
    let value: Integer? = withNumberText(entry) { $0.integer() }
    guard let value else { throw unfit(Integer.self).wrapped() }
    return value
  }

  @inline(__always)
  func floatingPoint<Value: BinaryFloatingPoint & LosslessStringConvertible>() throws -> Value {
    let entry = entry
    guard entry.kind == .number else { throw mismatch("number").wrapped() }
    let value: Value? = withNumberText(entry) { $0.floatingPoint() }
    guard let value else {
      throw UnreadableValue(
        node: node, expected: ["number"],
        detail: "\(writtenNumber) is too large; write a number of smaller magnitude."
      ).wrapped()
    }
    return value
  }

  @inline(__always)
  private func withNumberText<Result>(
    _ entry: JSONNode, _ body: (JSONNumberText) -> Result
  ) -> Result {
    document.bytes.withUnsafeBufferPointer {
      body(JSONNumberText(UnsafeBufferPointer(rebasing: $0[Int(entry.start)..<Int(entry.end)])))
    }
  }

  /// The number as it stands in the text, cut if it is too long for a sentence.
  private var writtenNumber: String {
    let bytes = element.bytes
    return String(decoding: bytes.prefix(64), as: UTF8.self) + (bytes.count > 64 ? "…" : "")
  }

  /// The error for a value of another kind.
  func mismatch(_ expected: String) -> UnreadableValue {
    let article = "aeiou".contains(expected.prefix(1)) ? "an" : "a"
    return UnreadableValue(
      node: node, expected: [expected],
      detail: "This is \(entry.kind.nameWithArticle); write \(article) \(expected) here.")
  }

  private func unfit<Integer: FixedWidthInteger>(_ type: Integer.Type) -> UnreadableValue {
    let isIntegral = withNumberText(entry) { $0.isIntegral }
    return UnreadableValue(
      node: node, expected: ["integer"],
      detail: isIntegral
        ? "\(writtenNumber) is out of range; write an integer from \(type.min) to \(type.max)."
        : "\(writtenNumber) has a fraction; write an integer.")
  }
}
