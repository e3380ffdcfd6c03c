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
    let text = document.string(entry)
    guard !isStrict || text.isStreamSafe else { throw unsafeText(node).wrapped() }
    return text
  }

  @inline(__always)
  func integer<Integer: FixedWidthInteger>() throws -> Integer {
    let entry = entry
    guard entry.kind == .number else { throw mismatch("integer").wrapped() }
    let bytes = document.bytes
    let value: Integer? = JSONNumberText.integer(
      bytes.span.extracting(Int(entry.start)..<Int(entry.end)))
    guard let value else { throw unfit(Integer.self).wrapped() }
    return value
  }

  @inline(__always)
  func floatingPoint<Value: BinaryFloatingPoint & LosslessStringConvertible>() throws -> Value {
    let entry = entry
    guard entry.kind == .number else { throw mismatch("number").wrapped() }
    let bytes = document.bytes
    let value: Value? = JSONNumberText.floatingPoint(
      bytes.span.extracting(Int(entry.start)..<Int(entry.end)))
    guard let value else {
      throw UnreadableValue(
        node: node, expected: ["number"],
        detail: "\(writtenNumber) is too large; write a number of smaller magnitude."
      ).wrapped()
    }
    return value
  }

  /// Checks that all strings and member names of the value are in the Stream-Safe Text Format.
  func checkTexts() throws {
    for index in node..<max(entry.next, node + 1) where document.node(index).kind == .string {
      guard document.string(document.node(index)).isStreamSafe else {
        throw unsafeText(index).wrapped()
      }
    }
  }

  /// Checks that the member names of the object are in the Stream-Safe Text Format.
  func checkNames() throws {
    var index = node + 1
    while index < entry.next {
      guard document.string(document.node(index)).isStreamSafe else {
        throw unsafeText(node).wrapped()
      }
      index = document.node(index + 1).next
    }
  }

  /// The error for a text that is not in the Stream-Safe Text Format.
  private func unsafeText(_ node: UInt32) -> UnreadableValue {
    UnreadableValue(
      node: node, expected: ["string"],
      detail: "A text has more than \(String.nonStarterLimit) combining marks in a row; "
        + "write fewer of them.")
  }

  /// The number as written, truncated to 64 bytes for use in an error message.
  private var writtenNumber: String {
    let bytes = element.bytes
    return String(decoding: bytes.prefix(64), as: UTF8.self) + (bytes.count > 64 ? "…" : "")
  }

  /// The error for a value of the wrong kind.
  func mismatch(_ expected: String) -> UnreadableValue {
    let article = "aeiou".contains(expected.prefix(1)) ? "an" : "a"
    return UnreadableValue(
      node: node, expected: [expected],
      detail: "This is \(entry.kind.nameWithArticle); write \(article) \(expected) here.")
  }

  private func unfit<Integer: FixedWidthInteger>(_ type: Integer.Type) -> UnreadableValue {
    let bytes = document.bytes
    let isIntegral = JSONNumberText.isIntegral(
      bytes.span.extracting(Int(entry.start)..<Int(entry.end)))
    return UnreadableValue(
      node: node, expected: ["integer"],
      detail: isIntegral
        ? "\(writtenNumber) is out of range; write an integer from \(type.min) to \(type.max)."
        : "\(writtenNumber) has a fraction; write an integer.")
  }
}
