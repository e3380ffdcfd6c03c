/// A string type with known cases that also accepts any other string.
///
/// An interface with this type can grow without breaking older clients and older logs: a text that
/// is not a case yet is retained, and becomes a case when a later release adds it.
///
/// ```swift
/// enum CompassPoint: OpenText {
///   case north, south
///   case custom(String)
///
///   static let allCases: [CompassPoint] = [.north, .south]
///
///   init(stringLiteral value: String) {
///     switch value {
///     case "north": self = .north
///     case "south": self = .south
///     default: self = .custom(value)
///     }
///   }
///
///   var description: String { … }
/// }
/// ```
///
/// In JSON a value is its text, also as a member name. Values are equal if their texts are equal:
/// `.custom("north")` equals `.north`. ``Open`` implements the protocol without switches. Do not
/// use the protocol for actions: an unknown action has to be rejected.
public protocol OpenText: Codable, CodingKeyRepresentable, Hashable, Sendable, CaseIterable,
  ExpressibleByStringLiteral, CustomStringConvertible
where StringLiteralType == String {}

extension OpenText {
  /// Returns whether both values have the same text.
  public static func == (left: Self, right: Self) -> Bool {
    left.description.utf8.elementsEqual(right.description.utf8)
  }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) {
    var text = description
    text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Decodes any text.
  public init(from decoder: any Decoder) throws {
    self.init(stringLiteral: try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }

  /// The text as a member name.
  public var codingKey: any CodingKey { OpenTextKey(description) }

  /// Creates the value of a member name.
  public init?(codingKey: some CodingKey) {
    self.init(stringLiteral: codingKey.stringValue)
  }
}

private struct OpenTextKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ text: String) { stringValue = text }
  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// The text of a known case, or any other text.
///
/// ```swift
/// enum Heading: String, CaseIterable { case north, south }
///
/// struct State: Codable {
///   var heading: Open<Heading> = "north"  // .known(.north); "west" is .custom("west")
/// }
/// ```
public enum Open<Known: RawRepresentable & CaseIterable & Sendable>: OpenText
where Known.RawValue == String {
  /// A known case.
  case known(Known)

  /// Any text. A text of a known case equals that case.
  case custom(String)

  /// The known cases.
  public static var allCases: [Open] { Known.allCases.map { .known($0) } }

  /// Creates the value of a text: the known case with the text, or a custom text.
  public init(stringLiteral text: String) {
    self = Known(rawValue: text).map { .known($0) } ?? .custom(text)
  }

  /// Creates the value of a text.
  public init(_ text: String) {
    self.init(stringLiteral: text)
  }

  /// The text.
  public var description: String {
    switch self {
    case .known(let known): known.rawValue
    case .custom(let text): text
    }
  }
}
