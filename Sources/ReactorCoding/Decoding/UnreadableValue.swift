/// An error on its way from a value to the caller of the decoder.
///
/// It names the value by its node, which costs nothing; the pointer is found when the error has
/// left the decoder. Code that tries one type after the other thus pays little for each attempt.
struct UnreadableValue: Error {
  let node: UInt32
  let expected: [String]
  let detail: String

  /// The error as `Decodable` implementations expect to see it.
  ///
  /// Its coding path is left empty for the same reason; the whole truth is the underlying error.
  func wrapped(asMissing key: (any CodingKey)? = nil) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: [], debugDescription: detail, underlyingError: self)
    return key.map { .keyNotFound($0, context) } ?? .dataCorrupted(context)
  }

  /// The error for the caller.
  func failure(in document: JSONDocument) -> JSONDecodingFailure {
    JSONDecodingFailure(
      pointer: JSONElement(document: document, node: node).pointer.description,
      expected: expected, detail: detail)
  }

  /// Finds out what an error that passed the value at `node` is about.
  static func from(
    _ error: any Error, at node: UInt32, in document: JSONDocument
  ) -> UnreadableValue {
    guard let error = error as? DecodingError else {
      return error as? UnreadableValue ?? refused(node, "This value is not valid here.")
    }
    let context =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .keyNotFound(_, let context), .dataCorrupted(let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "")
      }
    if let known = context.underlyingError as? UnreadableValue { return known }
    let place = document.deepestNode(at: context.codingPath, within: node)
    if case .keyNotFound(let key, _) = error {
      return missing(key.stringValue, in: place)
    }
    // The standard library's own words name Swift types; an author's words are meant to be read.
    guard case .dataCorrupted = error, !context.debugDescription.hasPrefix("Cannot initialize")
    else { return refused(place, "This value is not valid here.") }
    return refused(place, context.debugDescription)
  }

  static func refused(_ node: UInt32, _ detail: String) -> UnreadableValue {
    UnreadableValue(node: node, expected: [], detail: detail)
  }

  static func missing(_ name: String, in node: UInt32) -> UnreadableValue {
    UnreadableValue(
      node: node, expected: ["object"],
      detail: "The member \(quoted(name)) is missing; add it to this object.")
  }

  /// A name from the text, in quotes and not too long for a sentence.
  static func quoted(_ name: String) -> String {
    var output: [UInt8] = []
    output.appendJSON(name.count > 64 ? name.prefix(64) + "…" : name)
    return String(decoding: output, as: UTF8.self)
  }
}

extension JSONDocument {
  /// The node that a coding path leads to, or the last one on the way that exists; `node` if the
  /// path does not lead into it.
  fileprivate func deepestNode(at path: [any CodingKey], within node: UInt32) -> UInt32 {
    var element = root
    for key in path {
      let child: JSONElement? =
        element.kind == .array ? key.intValue.flatMap { element[$0] } : element[key.stringValue]
      guard let child else { break }
      element = child
    }
    return node <= element.node && element.node < self.node(node).next ? element.node : node
  }
}
