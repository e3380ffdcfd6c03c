extension Decoder {
  /// Rejects an object with a member that its address does not take, so that a misspelled one is not ignored.
  ///
  /// - Parameter names: The members that the address takes.
  /// - Throws: A `DecodingError` whose description names the member and the known ones.
  func requireMembers(_ names: [String]) throws {
    let members = try container(keyedBy: AnyMember.self)
    guard let unknown = members.allKeys.first(where: { !names.contains($0.stringValue) }) else {
      return
    }
    throw DecodingError.dataCorrupted(
      .init(
        codingPath: codingPath + [unknown],
        debugDescription:
          "There is no member of this name here; these are known: \(names.joined(separator: ", "))."
      )
    )
  }
}

/// A member of any name.
private struct AnyMember: CodingKey {
  let stringValue: String
  let intValue: Int? = nil

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}
