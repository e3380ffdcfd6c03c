internal import ReactorCoding

/// The part of an export that `--sample` and `--drop` select: a fixture for the tests of a later release.
///
/// It has neither principals nor idempotency keys, and for each session the State that the reactors of
/// this program fold from it.
struct ExportSample {
  /// The maximum number of sessions per reactor.
  let count: Int

  /// The members whose content is dropped, below the State, mutation, action or parameters.
  let dropped: [JSONPointer]

  /// The number of sessions of each reactor in the store.
  private var totals: [String: Int] = [:]
  private var seen: [String: Int] = [:]
  private var isSelected = true

  init(_ count: Int, dropping dropped: [JSONPointer]) {
    self.count = count
    self.dropped = dropped
  }

  /// Counts the sessions of a first pass over the lines.
  mutating func count(_ line: [UInt8]) throws {
    guard line.starts(with: Array(#"{"session":"#.utf8)) else { return }
    let value = try JSONCoder.decode(JSONValue.self, from: line)
    guard value["ended"] == nil else { return }
    totals[Self.key(of: value)?.reactor ?? "", default: 0] += 1
  }

  /// Selects a line of the export.
  ///
  /// - Parameters:
  ///   - line: The line of the export.
  ///   - state: Returns the last version of a session and the State there.
  /// - Returns: The lines of the sample for this line.
  /// - Throws: If the line is not JSON, or the State cannot be read.
  mutating func select(
    _ line: [UInt8], state: (_ reactor: String, _ id: String) throws -> (Int, [UInt8])?
  ) throws -> [[UInt8]] {
    var value = try JSONCoder.decode(JSONValue.self, from: line)
    var lines: [[UInt8]] = []
    if value["session"] != nil {
      isSelected = select(value)
      if isSelected, let (reactor, id) = Self.key(of: value),
        let (version, json) = try state(reactor, id)
      {
        let state = try JSONCoder.decode(JSONValue.self, from: json)
        let expected = JSONValue.object([
          .init("expected", .number(JSONNumber(version))), .init("state", dropping(from: state)),
        ])
        lines.append(expected.bytes)
      }
    } else if value["shared"] != nil {
      return []
    }
    guard isSelected, value["outcome"] == nil else { return [] }
    for name in ["by", "principal", "context", "key", "body", "sendName", "globals"] {
      value[name] = nil
    }
    for name in ["state", "mutation", "action", "parameters"] {
      if let content = value[name] { value[name] = dropping(from: content) }
    }
    return [value.bytes] + lines
  }

  /// Selects sessions at equal distances.
  private mutating func select(_ session: JSONValue) -> Bool {
    guard session["ended"] == nil, let (reactor, _) = Self.key(of: session) else { return false }
    let (index, total) = (seen[reactor, default: 0], totals[reactor, default: 0])
    seen[reactor] = index + 1
    return total <= count || (index + 1) * count / total > index * count / total
  }

  /// The reactor and the id of a session's line.
  static func key(of session: JSONValue) -> (reactor: String, id: String)? {
    guard case .string(let name)? = session["session"],
      let slash = name.utf8.firstIndex(of: UInt8(ascii: "/"))
    else { return nil }
    return (String(name[..<slash]), String(name[name.utf8.index(after: slash)...]))
  }

  private func dropping(from value: JSONValue) -> JSONValue {
    dropped.reduce(value) { Self.dropping($1.tokens[...], from: $0) }
  }

  /// Replaces the content at a path, of which `*` matches any name or index.
  ///
  /// The member stays, with an empty value of its kind, so that it decodes.
  private static func dropping(_ path: ArraySlice<String>, from value: JSONValue) -> JSONValue {
    guard let token = path.first else { return emptied(value) }
    let rest = path.dropFirst()
    switch value {
    case .object(let members):
      return .object(
        members.map { member in
          token == "*" || token.utf8.elementsEqual(member.name.utf8)
            ? .init(member.name, dropping(rest, from: member.value)) : member
        })
    case .array(let elements):
      return .array(
        elements.enumerated().map { index, element in
          token == "*" || token == "\(index)" ? dropping(rest, from: element) : element
        })
    default: return value
    }
  }

  private static func emptied(_ value: JSONValue) -> JSONValue {
    switch value {
    case .null: .null
    case .boolean: .boolean(false)
    case .number: .number(JSONNumber(0))
    case .string: .string("")
    case .array: .array([])
    case .object(let members): .object(members.map { .init($0.name, emptied($0.value)) })
    }
  }
}
