internal import ReactorCoding
internal import ReactorCore

/// The actions of a reactor that clients cannot send, see `InternalAction`.
struct InternalActions<Action: Codable>: Sendable {
  /// The beginnings of the JSON of internal actions: `{"own":`.
  private let prefixes: [[UInt8]]
  private let names: [String]
  /// Whether an internal action can be inside of another value, such as an action for a screen.
  private let areNested: Bool

  /// The maximum depth of values in which an internal action is found.
  private static var depthLimit: Int { 12 }

  /// Creates the rules of a type of actions, or returns `nil` if it has no internal ones.
  init?(of type: Action.Type) {
    let (names, areNested) = JSONSchema.hiddenCases(of: type, hiding: isInternalAction)
    guard areNested || !names.isEmpty else { return nil }
    self.names = names
    self.areNested = areNested
    prefixes = names.map { Array("{".utf8) + JSONValue.string($0).bytes + Array(":".utf8) }
  }

  /// Whether a body can contain an internal action: a check without decoding.
  func mayBe(in body: [UInt8]) -> Bool {
    areNested || body.contains(UInt8(ascii: "\\"))
      || names.contains { body.firstRange(of: Array($0.utf8)) != nil }
  }

  /// Rejects an internal action.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - json: Its JSON in the shortest form.
  /// - Throws: ``ActionDecodingError/internalAction(_:)``.
  func check(_ action: Action, _ json: [UInt8]) throws(ActionDecodingError) {
    for (name, prefix) in zip(names, prefixes) where json.starts(with: prefix) {
      throw .internalAction(name)
    }
    if areNested, let name = Self.findInternal(in: action, named: "", depth: 0) {
      throw .internalAction(name)
    }
  }

  /// Returns an error without the names of internal actions.
  ///
  /// - Parameters:
  ///   - error: The error of a body that cannot be decoded.
  ///   - body: The body.
  /// - Returns: The error; ``ActionDecodingError/internalAction(_:)`` if an action of the body has the name of
  ///   an internal one.
  func hide(in error: ActionDecodingError, of body: [UInt8]) -> ActionDecodingError {
    guard case .invalid(let pointer, let expected, let detail) = error, !names.isEmpty else {
      return error
    }
    if let value = try? JSONCoder.decode(JSONValue.self, from: body) {
      let actions = if case .array(let elements) = value { elements } else { [value] }
      if let name = actions.flatMap(\.caseNames).first(where: { names.contains($0) }) {
        return .internalAction(name)
      }
    }
    let shown = expected.filter { !names.contains($0) }
    let (all, others) = (expected.joined(separator: ", "), shown.joined(separator: ", "))
    return .invalid(
      pointer: pointer, expected: shown,
      detail: shown.count == expected.count
        ? detail : detail.replacing(all, with: others.isEmpty ? "(none)" : others))
  }

  private static func findInternal(in value: Any, named name: String, depth: Int) -> String? {
    if value is any InternalAction { return name }
    guard depth < depthLimit else { return nil }
    for child in Mirror(reflecting: value).children {
      let found = findInternal(in: child.value, named: child.label ?? name, depth: depth + 1)
      if let found { return found }
    }
    return nil
  }
}

/// Returns whether a type has actions that clients cannot send.
func isInternalAction(_ type: any Any.Type) -> Bool { type is any InternalAction.Type }

extension JSONValue {
  /// The name of the case of an enumeration, or several if the value is no case.
  fileprivate var caseNames: [String] {
    switch self {
    case .string(let name): [name]
    case .object(let members): members.map(\.name)
    default: []
    }
  }
}
