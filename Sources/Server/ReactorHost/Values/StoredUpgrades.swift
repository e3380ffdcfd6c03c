public import ReactorCoding

/// The conversions of what earlier releases of a reactor stored, or `nil` where there is none.
@usableFromInline
struct StoredUpgrades: Sendable {
  let mutation: JSONUpgrade?
  let action: JSONUpgrade?
  let state: JSONUpgrade?

  @usableFromInline
  init(mutation: JSONUpgrade?, action: JSONUpgrade?, state: JSONUpgrade?) {
    self.mutation = mutation
    self.action = action
    self.state = state
  }

  /// Converts a body with an action, or an array of actions, that cannot be decoded.
  ///
  /// - Returns: The converted body, or `nil` if there is no conversion, or it fails.
  @usableFromInline
  func convert(actions body: [UInt8]) -> [UInt8]? {
    guard let action, let document = try? JSONDocument(parsing: body) else { return nil }
    guard case .array(let elements) = JSONValue(document.root) else {
      return try? action(JSONValue(document.root)).bytes
    }
    return try? JSONValue.array(elements.map { try action($0) }).bytes
  }
}
