import RandomJSON
import ReactorCoding
import Testing

/// RFC 7396.
struct JSONMergeDifferenceTests {
  private func patch(_ old: String, _ new: String) throws -> String {
    let documents = try [old, new].map { try JSONDocument(parsing: Array($0.utf8)) }
    return String(
      decoding: JSONMergeDifference.patch(from: documents[0], to: documents[1]), as: UTF8.self)
  }

  @Test(arguments: [
    (#"{"value":3}"#, #"{"value":3}"#, "{}"),
    (#"{"value":3,"label":"a"}"#, #"{"value":4,"label":"a"}"#, #"{"value":4}"#),
    (#"{"a":1,"b":2}"#, #"{"b":2}"#, #"{"a":null}"#),
    (#"{"a":1}"#, #"{"a":null}"#, #"{"a":null}"#),
    (#"{"a":1}"#, #"{"a":1,"b":[1,null]}"#, #"{"b":[1,null]}"#),
    (#"{"a":{"b":1,"c":2}}"#, #"{"a":{"b":1,"c":3}}"#, #"{"a":{"c":3}}"#),
    (#"{"a":[1,2]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"{"a":5}"#, #"{"a":{"b":null}}"#, #"{"a":{"b":null}}"#),
    ("1", #"{"a":2}"#, #"{"a":2}"#), (#"{"a":2}"#, "null", "null"),
    // The last member with a name counts.
    (#"{"a":1,"a":2}"#, #"{"a":3,"a":2}"#, "{}"),
    (#"{"a":1,"b":2}"#, #"{"a":1,"a":4,"b":2}"#, #"{"a":4}"#),
    // A name is compared by its content.
    (#"{"é":1}"#, #"{"\u00e9":2}"#, #"{"\u00e9":2}"#),
  ])
  func `a patch has the members that differ`(old: String, new: String, expected: String) throws {
    #expect(try patch(old, new) == expected)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `applying the patch produces the new value without its null members`(seed: UInt64) throws {
    var generator = JSONGenerator(seed: seed)
    for _ in 0..<1_000 {
      let old = generator.value(depth: 4)
      let new = Bool.random(using: &generator) ? generator.changed(old) : generator.value(depth: 4)
      let patch = try JSONDocument(
        parsing: JSONMergeDifference.patch(
          from: JSONDocument(parsing: old.bytes), to: JSONDocument(parsing: new.bytes)))
      let merged = JSONValue(patch.root).merged(into: old)
      #expect(merged.withoutNullMembers == new.withoutNullMembers)
    }
  }
}

extension JSONValue {
  /// Applies the value as a Merge Patch, as RFC 7396 defines it.
  fileprivate func merged(into target: JSONValue?) -> JSONValue {
    guard case .object(let members) = self else { return self }
    var result: JSONValue = [:]
    if let target, case .object = target { result = target }
    for member in members {
      result[member.name] =
        member.value == .null ? nil : member.value.merged(into: result[member.name])
    }
    return result
  }

  /// The value without members that are `null`, which a Merge Patch cannot express, in order.
  fileprivate var withoutNullMembers: JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(
      members.filter { $0.value != .null }.map { Member($0.name, $0.value.withoutNullMembers) }
        .sorted { $0.name < $1.name })
  }
}
