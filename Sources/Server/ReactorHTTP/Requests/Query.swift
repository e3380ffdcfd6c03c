internal import ReactorCoding
internal import ReactorTransport

/// The parameters in the query of a request.
///
/// If a name occurs more than once, the first value counts, except for lists. Names are compared as
/// bytes. Values are ASCII, with other bytes replaced, except for JSON Pointers and names.
struct Query {
  private let parameters: [(name: WireText, value: String)]

  /// Parses the part after the `?`.
  init(_ text: WireText?) throws(Problem) {
    var parameters: [(name: WireText, value: String)] = []
    for part in text?.utf8.split(separator: UInt8(ascii: "&")) ?? [] {
      let pair = part.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(pair[0], plusIsSpace: true),
        let value = pair.count > 1 ? PercentEncoding.decode(pair[1], plusIsSpace: true) : ""
      else {
        throw Problem(
          .invalidParameter,
          "The query is not percent-encoded UTF-8. Write % as %25 and encode other characters.")
      }
      parameters.append((WireText(name), value))
    }
    self.parameters = parameters
  }

  /// The names, decoded, in order.
  var names: some Sequence<WireText> { parameters.lazy.map(\.name) }

  subscript(name: StaticString) -> String? { raw(name)?.asciiOnly }

  /// Returns a text of any length, in any script, or `nil` if the parameter is absent.
  func text(_ name: StaticString) -> String? { raw(name) }

  /// Returns a text of 1 to 128 bytes, in any script, or `nil` if the parameter is absent.
  func name(_ name: StaticString) throws(Problem) -> String? {
    guard let text = raw(name) else { return nil }
    guard (1...Limits.nameLength).contains(text.utf8.count) else {
      throw .invalid(
        parameter: "\(name)",
        "The parameter \(name) takes a text of 1 to \(Limits.nameLength) bytes.")
    }
    return text
  }

  /// Returns all values of a parameter, in order.
  func all(_ name: StaticString) -> [String] {
    parameters.filter { Self.isEqual($0.name, name) }.map(\.value.asciiOnly)
  }

  private func raw(_ name: StaticString) -> String? {
    parameters.first { Self.isEqual($0.name, name) }?.value
  }

  private static func isEqual(_ text: WireText, _ name: StaticString) -> Bool {
    name.withUTF8Buffer { unsafe text.utf8.elementsEqual($0) }
  }

  /// Returns a number within a range, or `nil` if the parameter is absent.
  func integer(_ name: StaticString, in range: ClosedRange<Int>) throws(Problem) -> Int? {
    guard let text = self[name] else { return nil }
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(text), range.contains(number)
    else {
      let bounds =
        range.upperBound == .max
        ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
      throw .invalid(
        parameter: "\(name)", "The parameter \(name) takes a whole number: \(bounds).")
    }
    return number
  }

  /// Returns the length of a page.
  func limit() throws(Problem) -> Int {
    try integer("limit", in: 1...Limits.pageLength.most) ?? Limits.pageLength.usual
  }

  /// Whether a parameter is `true`; `false` if it is absent.
  func flag(_ name: StaticString) throws(Problem) -> Bool {
    switch self[name] {
    case nil, "false": return false
    case "true": return true
    default:
      throw .invalid(
        parameter: "\(name)", "The parameter \(name) takes: true or false.")
    }
  }

  /// Returns whether a parameter is present; its only permitted value is `value`.
  func choice(_ name: StaticString, _ value: String) throws(Problem) -> Bool {
    guard let text = self[name] else { return false }
    guard text == value else {
      throw .invalid(parameter: "\(name)", "The parameter \(name) takes: \(value).")
    }
    return true
  }

  /// Returns the value of a parameter with a fixed set of values, or `nil` if it is absent.
  func choice(_ name: StaticString, of values: [String]) throws(Problem) -> String? {
    guard let text = self[name] else { return nil }
    guard values.contains(text) else {
      throw .invalid(
        parameter: "\(name)", "The parameter \(name) takes: \(values.joined(separator: ", ")).")
    }
    return text
  }

  /// Returns a JSON Pointer to the selected part of a State, or `nil` for the whole.
  func pointer(_ name: StaticString) throws(Problem) -> JSONPointer? {
    guard let text = raw(name) else { return nil }
    return try Self.pointer(text, name)
  }

  /// Returns the values of a parameter in order: JSON Pointers, or `nil` where the value is a given word.
  func pointers(_ name: StaticString, orWord word: String) throws(Problem) -> [JSONPointer?] {
    var pointers: [JSONPointer?] = []
    for parameter in parameters where Self.isEqual(parameter.name, name) {
      pointers.append(parameter.value == word ? nil : try Self.pointer(parameter.value, name))
    }
    return pointers
  }

  private static func pointer(
    _ text: String, _ name: StaticString
  ) throws(Problem) -> JSONPointer {
    do {
      return try JSONPointer(text)
    } catch {
      throw Problem(
        .invalidPointer,
        """
        The parameter \(name) takes a JSON Pointer (RFC 6901): empty, or parts that each begin with \
        a slash, such as /user/name. Within a part ~ is written ~0 and / is written ~1.
        """,
        members: [.init("parameter", .string("\(name)"))])
    }
  }
}
