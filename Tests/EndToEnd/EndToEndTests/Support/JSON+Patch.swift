/// A JSON Patch that cannot be applied.
struct PatchFailure: Error {}

extension JSON {
  /// Applies a JSON Patch (RFC 6902): an independent implementation of the operations that the service
  /// sends.
  func patched(by patch: JSON) throws -> JSON {
    guard let operations = patch.array else { throw PatchFailure() }
    return try operations.reduce(self) { value, operation in
      guard let name = operation["op"]?.string, let path = operation["path"]?.string else {
        throw PatchFailure()
      }
      let tokens = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        .map { token in
          // Decode each escape of two characters once: `~01` is `~1`, not `/`.
          var text = ""
          var rest = token
          while let character = rest.popFirst() {
            guard character == "~" else {
              text.append(character)
              continue
            }
            text.append(rest.popFirst() == "1" ? "/" : "~")
          }
          return text
        }
      return try value.changed(at: tokens[...], name, operation["value"])
    }
  }

  private func changed(
    at path: ArraySlice<String>, _ operation: String, _ new: JSON?
  ) throws -> JSON {
    guard let token = path.first else {
      guard operation != "remove", let new else { throw PatchFailure() }
      return new
    }
    let isLast = path.count == 1
    switch self {
    case .object(var members):
      switch (operation, isLast) {
      case ("add", true): members[token] = new
      case ("remove", true):
        guard members.removeValue(forKey: token) != nil else { throw PatchFailure() }
      default:
        guard let member = members[token] else { throw PatchFailure() }
        members[token] = try member.changed(at: path.dropFirst(), operation, new)
      }
      return .object(members)
    case .array(var elements):
      guard let index = token == "-" ? elements.count : Int(token), (0...elements.count) ~= index
      else { throw PatchFailure() }
      if operation == "add", isLast {
        guard let new else { throw PatchFailure() }
        elements.insert(new, at: index)
        return .array(elements)
      }
      guard index < elements.count else { throw PatchFailure() }
      if operation == "remove", isLast {
        elements.remove(at: index)
      } else {
        elements[index] = try elements[index].changed(at: path.dropFirst(), operation, new)
      }
      return .array(elements)
    default: throw PatchFailure()
    }
  }
}
