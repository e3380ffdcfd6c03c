/// A decoding error that identifies the invalid value by its tape node.
///
/// The JSON Pointer is computed only when the error leaves the decoder, so that code which tries
/// several types in turn does not pay for paths it discards.
struct UnreadableValue: Error {
  let node: UInt32
  let expected: [String]
  let detail: String
  /// The member that an object lacks.
  var missingMember: JSONDecodingFailure.MissingMember?

  /// Wraps the error in the type that `Decodable` implementations catch.
  ///
  /// The coding path stays empty; the underlying error identifies the value.
  func wrapped(asMissing key: (any CodingKey)? = nil) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: [], debugDescription: detail, underlyingError: self)
    return key.map { .keyNotFound($0, context) } ?? .dataCorrupted(context)
  }

  /// Resolves the node into a JSON Pointer.
  func failure(in document: JSONDocument) -> JSONDecodingFailure {
    var failure = JSONDecodingFailure(
      pointer: JSONElement(document: document, node: node).pointer.description,
      expected: expected, detail: detail)
    failure.missingMember = missingMember
    return failure
  }

  /// Derives the problem from an error thrown while the value at `node` was decoded.
  static func from(
    _ error: any Error, at node: UInt32, in document: JSONDocument
  ) -> UnreadableValue {
    guard let error = error as? DecodingError else {
      return error as? UnreadableValue ?? invalid(node, "This value is not valid here.")
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
    // Messages of the standard library name Swift types and are replaced; messages from the type's
    // own `init(from:)` are meant for clients.
    guard case .dataCorrupted = error, !context.debugDescription.hasPrefix("Cannot initialize")
    else { return invalid(place, "This value is not valid here.") }
    return invalid(place, context.debugDescription)
  }

  static func invalid(_ node: UInt32, _ detail: String) -> UnreadableValue {
    UnreadableValue(node: node, expected: [], detail: detail)
  }

  static func missing(_ name: String, in node: UInt32) -> UnreadableValue {
    UnreadableValue(
      node: node, expected: ["object"],
      detail: "The member \(quoted(name)) is missing; add it to this object.",
      missingMember: .init(name: name))
  }

  /// Quotes a name for an error message, truncated to 64 Unicode scalars.
  static func quoted(_ name: String) -> String {
    var output: [UInt8] = []
    let scalars = name.unicodeScalars
    let start = scalars.prefix(64)
    output.appendJSON(start.endIndex < scalars.endIndex ? String(start) + "…" : name)
    return String(decoding: output, as: UTF8.self)
  }
}

extension JSONDocument {
  /// Returns the deepest existing node along a coding path, or `node` if the path leads elsewhere.
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
