internal import ReactorCoding

/// Why a line of an import is rejected.
package struct InvalidLine: Error {
  /// The rest of a sentence about the line, which begins with "it".
  package let reason: String

  /// Creates an error.
  package init(_ reason: String) { self.reason = reason }
}

/// The members of a line that is imported.
struct LineMembers {
  /// The kinds of lines, by a member that only they have.
  enum Kind: String, CaseIterable {
    case session, shared, snapshot, version, accepted, outcome, timer, failed, damaged
  }

  /// The session or global that a line begins.
  struct Beginning {
    let isSession: Bool
    let name: String?
  }

  /// The kind of the line, or `nil` if it is not of an export.
  let kind: Kind?

  /// The session or global that the line begins, even if the line is damaged, or `nil` for none.
  let beginning: Beginning?

  private let root: JSONElement?

  /// Reads a line, which may be damaged.
  init(_ text: [UInt8]) {
    let root = try? JSONDocument(parsing: text).root
    let kind = Kind.allCases.first { root?[$0.rawValue] != nil }
    self.root = root
    self.kind = kind
    beginning =
      switch kind {
      case .session, .shared:
        Beginning(isSession: kind == .session, name: kind.flatMap { root?[$0.rawValue]?.string })
      case .damaged: Self.beginning(damaged: root?["damaged"]?.string, root?["name"]?.string)
      case nil where root == nil: Self.beginning(of: text)
      default: nil
      }
  }

  private static func beginning(damaged table: String?, _ name: String?) -> Beginning? {
    table == "session" || table == "shared"
      ? Beginning(isSession: table == "session", name: name) : nil
  }

  /// Returns what a line begins that is not JSON: a store in a file exports text that is not UTF-8 as it is.
  private static func beginning(of text: [UInt8]) -> Beginning? {
    for table in ["session", "shared"] {
      for prefix in [#"{"\#(table)":""#, #"{"damaged":"\#(table)","name":""#]
      where text.starts(with: prefix.utf8) {
        let name = text.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: "\"") }
        return beginning(damaged: table, String(decoding: name, as: UTF8.self))
      }
    }
    return nil
  }

  /// Whether the line is JSON.
  var isJSON: Bool { root != nil }

  /// Returns the value of a member, or `nil` if there is none or it is `null`.
  ///
  /// - Parameters:
  ///   - name: The name of the member.
  ///   - read: Returns the value, or `nil` if it is invalid.
  /// - Returns: The value.
  /// - Throws: If the value is invalid.
  func optional<Value>(
    _ name: String, _ read: (JSONElement) -> Value?
  ) throws(InvalidLine) -> Value? {
    guard let element = root?[name], !element.isNull else { return nil }
    guard let value = read(element) else { throw InvalidLine("has an invalid \"\(name)\"") }
    return value
  }

  /// Returns the value of a member that the line must have.
  ///
  /// - Parameters:
  ///   - name: The name of the member.
  ///   - read: Returns the value, or `nil` if it is invalid.
  /// - Returns: The value.
  /// - Throws: If there is no value, or it is invalid.
  func required<Value>(
    _ name: String, _ read: (JSONElement) -> Value?
  ) throws(InvalidLine) -> Value {
    guard let value = try optional(name, read) else { throw InvalidLine("lacks \"\(name)\"") }
    return value
  }

  /// Returns a string.
  func string(_ name: String) throws(InvalidLine) -> String { try required(name) { $0.string } }

  /// Returns a sequence or a count.
  func count(_ name: String) throws(InvalidLine) -> Int {
    try required(name) { $0.integer(in: StoredValues.counts) }
  }

  /// Returns the version of an entry or a snapshot.
  func version(_ name: String) throws(InvalidLine) -> Int {
    try required(name) { $0.integer(in: 1...StoredValues.counts.upperBound) }
  }

  /// Returns a time.
  func time(_ name: String) throws(InvalidLine) -> Timestamp {
    Timestamp(milliseconds: try required(name) { $0.integer(in: StoredValues.times) })
  }

  /// Returns whether a member is `true`.
  func flag(_ name: String) throws(InvalidLine) -> Bool {
    try optional(name) { $0.boolean } ?? false
  }

  /// Returns the JSON of a member, which can be `null`, or `nil` if there is none.
  func optionalJSON(_ name: String) -> [UInt8]? { root?[name]?.json }

  /// Returns the JSON of a member, which can be `null`.
  func json(_ name: String) throws(InvalidLine) -> [UInt8] {
    guard let json = optionalJSON(name) else { throw InvalidLine("lacks \"\(name)\"") }
    return json
  }
}

extension JSONElement {
  /// Returns a whole number in a range, or `nil` for other values.
  func integer<Number: FixedWidthInteger>(in range: ClosedRange<Number>) -> Number? {
    integer(as: Number.self).flatMap { range.contains($0) ? $0 : nil }
  }

  /// The revision of a global; a store in a file exports the signed integer with the same bits.
  var revision: UInt64? {
    integer(as: UInt64.self) ?? integer(as: Int64.self).map(UInt64.init(bitPattern:))
  }

  /// The revisions of globals by their names, or `nil` for other values.
  var revisions: [String: UInt64]? {
    guard let members else { return nil }
    var revisions: [String: UInt64] = [:]
    for (name, value) in members {
      guard let revision = value.revision,
        revisions.updateValue(revision, forKey: name) == nil
      else { return nil }
    }
    return revisions
  }

  /// The failure of an action, or `nil` for other values.
  var failure: ActionFailure? { ActionFailure(json: json) }
}
