internal import ReactorCoding
internal import ReactorCore

/// A JSON object from a token or a key file whose member names are unique at every level.
///
/// Two parsers that resolve a repeated name differently read different claims from one signed text.
/// A repeated name is therefore an error (RFC 7519, 4; RFC 8725, 2.4).
struct StrictObject {
  /// The maximum nesting depth of a token or key.
  static let depthLimit = 16

  let claims: Claims

  /// Parses a text, or returns `nil` if it is not JSON, not an object, nested too deeply, or repeats a name.
  init?(_ bytes: [UInt8], depthLimit: Int = depthLimit) {
    guard
      let document = try? JSONDocument(parsing: bytes, depthLimit: depthLimit),
      case .object(let claims) = Self.value(of: document.root)
    else { return nil }
    self.claims = claims
  }

  /// Parses the elements of an array that a setting or a body has, or returns `nil` as for an object.
  static func array(in json: [UInt8]) -> [Claims.Value]? {
    guard
      // An array of objects has one level less than an object with the array.
      let document = try? JSONDocument(parsing: json, depthLimit: depthLimit - 1),
      case .array(let values) = value(of: document.root)
    else { return nil }
    return values
  }

  private static func value(of element: JSONElement) -> Claims.Value? {
    switch element.kind {
    case .null: return .null
    case .boolean: return element.boolean.map { .boolean($0) }
    case .number: return element.number.flatMap { $0.double ?? Double($0.text) }.map { .number($0) }
    case .string: return element.string.map { .string($0) }
    case .array:
      var values: [Claims.Value] = []
      for element in element.elements ?? [] {
        guard let value = value(of: element) else { return nil }
        values.append(value)
      }
      return .array(values)
    case .object:
      var members: [(name: String, value: Claims.Value)] = []
      members.reserveCapacity(element.count)
      let isStrict = element.allMembersSatisfy { name, element in
        guard let value = value(of: element) else { return false }
        members.append((name, value))
        return true
      }
      guard isStrict, hasDistinctNames(members) else { return nil }
      return .object(Claims(distinct: members))
    }
  }
  /// Compares names by their bytes: canonically equivalent ones differ.
  private static func hasDistinctNames(_ members: [(name: String, value: Claims.Value)]) -> Bool {
    // Most tokens have few claims, for which a set costs more than the comparisons.
    guard members.count > 16 else {
      return members.indices.allSatisfy { index in
        let name = members[index].name
        return (0..<index).allSatisfy { !members[$0].name.hasSameBytes(as: name) }
      }
    }
    return Set(members.map { Array($0.name.utf8) }).count == members.count
  }
}
