extension JSONOutput {
  /// The coding path of the value being written.
  ///
  /// Derived from the partial text on demand, because only errors need it.
  var path: [JSONPathKey] {
    frames.indices.compactMap { index in
      let frame = frames[index]
      guard frame.count > 0 else { return nil }
      switch frame.kind {
      case .array, .set, .pairs: return JSONPathKey(frame.count - 1)
      case .object, .dictionary: return lastName(in: index).map { JSONPathKey($0) }
      case .singlePayload, .value: return nil
      }
    }
  }

  /// Returns the name of the latest member of an open object.
  private func lastName(in index: Int) -> String? {
    var text = Array(bytes[frames[index].start...])
    // Cut the text at the value that is open inside the object, and complete the member.
    if index + 1 < frames.count {
      text.removeLast(max(0, bytes.count - frames[index + 1].start))
    }
    for ending in [[], [ASCII.zero]] as [[UInt8]] {
      let whole = text + ending + [ASCII.closeBrace]
      if let document = try? JSONDocument(parsing: whole) {
        return document.root.members?.last?.name
      }
    }
    return nil
  }

  /// The error for a value that JSON cannot express.
  func cannotExpress(_ value: any FloatingPoint) -> EncodingError {
    EncodingError.invalidValue(
      value,
      EncodingError.Context(
        codingPath: path,
        debugDescription: "\(value) at \"\(pointer)\" is no number that JSON can express."))
  }

  /// The error for writing to a closed container, or for writing two values where one is expected.
  ///
  /// The first error if one was reported: a container beyond the maximum depth is closed.
  func closed() -> any Error {
    if let misuse { return misuse }
    return EncodingError.invalidValue(
      (),
      EncodingError.Context(
        codingPath: path,
        debugDescription: """
          At "\(pointer)" a container was written to after it was closed, or a second value was \
          written where one stands.
          """))
  }

  private var pointer: JSONPointer {
    JSONPointer(tokens: path.map(\.stringValue))
  }
}
