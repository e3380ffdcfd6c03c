/// A type with members that may be missing in the JSON that it is decoded from.
///
/// A property or an associated value that a release adds is missing in everything that is stored. The
/// decoding that Swift derives does not use its default value; this conformance lends it to `JSONCoder`:
///
/// ```swift
/// struct Card: Codable, DecodingDefaults {
///   var id: String
///   var title: String
///   var labels: [String] = []
///
///   static var decodingDefaults: MemberDefaults<Card> {
///     MemberDefaults("labels", of: Card(id: "", title: ""))
///   }
/// }
///
/// enum Action: Codable, DecodingDefaults {
///   case remind(id: String, times: Int = 1), close(by: String? = "system")
///
///   static var decodingDefaults: MemberDefaults<Action> {
///     [MemberDefaults("times", of: .remind(id: "")), MemberDefaults("by", of: .close())]
///   }
/// }
/// ```
///
/// See <doc:DefaultsOfMembers>.
public protocol DecodingDefaults: Codable {
  /// The members that may be missing, and their values then.
  ///
  /// Called once per process, on any thread.
  static var decodingDefaults: MemberDefaults<Self> { get }
}

/// The names of members that may be missing in JSON, and values that have them.
public struct MemberDefaults<Value: Encodable> {
  var declarations: [(names: [String], value: Value)]

  /// Names members.
  ///
  /// - Parameters:
  ///   - names: The names in JSON of properties, or of the associated values of a case; none for all of
  ///     them. An associated value without a label is `_0`, `_1` and so on.
  ///   - value: A value whose named members have their defaults. The others are not used.
  public init(_ names: String..., of value: Value) {
    declarations = [(names, value)]
  }
}

extension MemberDefaults: ExpressibleByArrayLiteral {
  /// Names the associated values of several cases.
  public init(arrayLiteral elements: MemberDefaults...) {
    declarations = elements.flatMap(\.declarations)
  }
}
