package import ReactorCoding

/// The part of a session's State that a stream sends.
package enum Selection: Hashable, Sendable {
  /// Nothing: only events of other kinds.
  case nothing

  /// The value at a pointer.
  case part(JSONPointer)

  /// The whole State.
  package static let whole = Selection.part(.root)

  /// The smallest selection that contains both: of `/a/b` and `/a/c` it is `/a`.
  package func union(_ other: Selection) -> Selection {
    guard case .part(let pointer) = self else { return other }
    guard case .part(let otherPointer) = other else { return self }
    let common = zip(pointer.tokens, otherPointer.tokens)
      .prefix { $0.utf8.elementsEqual($1.utf8) }
    return .part(JSONPointer(tokens: common.map(\.0)))
  }

  package func contains(_ other: Selection) -> Bool { union(other) == self }

  /// The value of the query parameter `select`.
  var parameter: String {
    switch self {
    case .nothing: "none"
    case .part(let pointer): pointer.description
    }
  }
}

extension SessionState {
  /// Returns the value of a part that the selection contains; `null` if the State does not have it.
  package func value(of part: JSONPointer) -> JSONValue {
    guard case .part(let pointer) = selection else { return .null }
    return part.tokens.dropFirst(pointer.tokens.count).reduce(json.value) { value, token in
      switch value {
      case .object: value[token] ?? .null
      case .array(let elements):
        Int(token).flatMap { position in
          elements.indices.contains(position) && "\(position)" == token ? elements[position] : nil
        } ?? .null
      default: .null
      }
    }
  }
}
