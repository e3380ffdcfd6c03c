/// Why a JSON value cannot be decoded, worded for the client that sent it.
public struct JSONDecodingFailure: Error, Hashable, Sendable {
  /// The JSON Pointer (RFC 6901) of the invalid value; empty for the whole text.
  public var pointer: String

  /// The accepted values: case names of an enum, or kinds of JSON (`integer`, `object`).
  public var expected: [String]

  /// One or two sentences that state the problem and the correction, without names of Swift types.
  public var detail: String

  /// The member that an object lacks and for which its type has no default, or `nil` for other problems.
  public var missingMember: MissingMember?

  /// A member that an object lacks.
  public struct MissingMember: Hashable, Sendable {
    /// The name of the Swift type that declares it, or `nil` if it is not known.
    public var type: String?

    /// The case whose associated value it is, or `nil` for a member of an object.
    public var caseName: String?

    /// The name in JSON.
    public var name: String
  }

  /// The problem for the operator of a service that cannot read stored JSON: names the Swift type, and the
  /// remedy.
  public var storedDetail: String {
    guard let missingMember, let type = missingMember.type else { return detail }
    let name = missingMember.name
    let member = missingMember.caseName.map { "\($0)(\(name):)" } ?? name
    let sample = missingMember.caseName.map { ".\($0)(…)" } ?? "\(type)(…)"
    return "\(type).\(member) is missing and has no default for JSON; name it in "
      + "\(type).decodingDefaults: MemberDefaults(\(UnreadableValue.quoted(name)), of: \(sample))."
  }

  /// Creates a failure; called by the decoder.
  public init(pointer: String, expected: [String], detail: String) {
    self.pointer = pointer
    self.expected = expected
    self.detail = detail
  }

  /// The position of the invalid element, if an array was decoded.
  public var index: Int? {
    guard let first = try? JSONPointer(pointer).tokens.first else { return nil }
    return JSONPointer.position(first)
  }
}
