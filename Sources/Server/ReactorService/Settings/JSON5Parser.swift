/// Parses JSON5 (spec.json5.org), with positions for error messages.
///
/// Stricter than the specification in one point: a name that occurs twice in an object is an error.
struct JSON5Parser {
  /// The reason a text is not JSON5, and the place.
  struct Failure: Error, Equatable {
    let position: FilePosition
    let reason: String
  }

  /// The maximum nesting depth; settings have two levels.
  private static let depthLimit = 32

  private let scalars: [Unicode.Scalar]
  private var index = 0
  /// The position of the last parsed member, from which the position of the next one is counted.
  private var reached = (index: 0, position: FilePosition())
  private var depth = 0

  /// Parses a text that contains one value.
  static func parse(_ text: String) throws(Failure) -> ConfigurationValue {
    var parser = JSON5Parser(text)
    let value = try parser.value()
    try parser.skipSpace()
    guard parser.index == parser.scalars.count else { throw parser.unexpected("the end") }
    return value
  }

  private init(_ text: String) {
    scalars = Array(text.unicodeScalars)
  }

  // MARK: Values

  private mutating func value() throws(Failure) -> ConfigurationValue {
    try skipSpace()
    guard let scalar = current else { throw unexpected("a value") }
    switch scalar {
    case "{": return try nested { parser throws(Failure) in .object(try parser.members()) }
    case "[": return try nested { parser throws(Failure) in .array(try parser.elements()) }
    case "\"", "'": return .string(try string())
    case "+", "-", ".", "0"..."9", "I", "N": return try number()
    default:
      let start = index
      switch try? identifier() {
      case "true": return .boolean(true)
      case "false": return .boolean(false)
      case "null": return .null
      default:
        index = start
        throw unexpected("a value")
      }
    }
  }

  private mutating func nested(
    _ body: (inout JSON5Parser) throws(Failure) -> ConfigurationValue
  ) throws(Failure) -> ConfigurationValue {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.depthLimit else {
      throw failure("objects and arrays are nested too deeply", at: index)
    }
    index += 1
    return try body(&self)
  }

  private mutating func members() throws(Failure) -> [ConfigurationValue.Member] {
    var members: [ConfigurationValue.Member] = []
    // Compared as bytes: hashing a String costs quadratic time for some texts.
    var names: Set<[UInt8]> = []
    while true {
      try skipSpace()
      if skip("}") { return members }
      let start = index
      let name = current == "\"" || current == "'" ? try string() : try identifier()
      let position = advancePosition(to: start)
      guard names.insert(Array(name.utf8)).inserted else {
        throw failure("\"\(name)\" occurs twice", at: start)
      }
      try skipSpace()
      guard skip(":") else { throw unexpected("a colon") }
      let value = try value()
      members.append(.init(name: name, position: position, value: value))
      try skipSpace()
      if !skip(","), current != "}" { throw unexpected("a comma or }") }
    }
  }

  private mutating func elements() throws(Failure) -> [ConfigurationValue] {
    var elements: [ConfigurationValue] = []
    while true {
      try skipSpace()
      if skip("]") { return elements }
      elements.append(try value())
      try skipSpace()
      if !skip(","), current != "]" { throw unexpected("a comma or ]") }
    }
  }

  private mutating func number() throws(Failure) -> ConfigurationValue {
    let start = index
    let isNegative = current == "-"
    if current == "+" || current == "-" { index += 1 }
    let sign = isNegative ? -1.0 : 1.0
    if skip(word: "Infinity") { return .number(sign * .infinity) }
    if skip(word: "NaN") { return .number(.nan) }
    let rest = index
    while let scalar = current, scalar.isWordScalar || "+-.".unicodeScalars.contains(scalar) {
      // A sign belongs to the number only after the exponent's letter.
      if scalar == "+" || scalar == "-" {
        guard index > rest, scalars[index - 1] == "e" || scalars[index - 1] == "E" else { break }
      }
      index += 1
    }
    let text = String(String.UnicodeScalarView(scalars[rest..<index]))
    if text.hasPrefix("0x") || text.hasPrefix("0X") {
      if let integer = Int((isNegative ? "-" : "") + text.dropFirst(2), radix: 16) {
        return .integer(integer)
      }
    } else if Self.isDecimal(text) {
      if let integer = Int((isNegative ? "-" : "") + text) { return .integer(integer) }
      // JSON5 allows a point without digits on one of its sides, which `Double` does not.
      let parts = text.split(separator: ".", omittingEmptySubsequences: false)
      let padded =
        parts.count == 2
        ? (parts[0].isEmpty ? "0" : parts[0]) + "."
          + (parts[1].first.map { $0.isNumber } == true ? "" : "0") + parts[1] : text[...]
      if let number = Double(padded) {
        return .number(sign * number)
      }
    }
    index = start
    throw unexpected("a number")
  }

  private static func isDecimal(_ text: String) -> Bool {
    let hasLeadingZero =
      text.utf8.count > 1 && text.hasPrefix("0")
      && text.utf8.dropFirst().first
        .map { (0x30...0x39).contains($0) } == true
    return !hasLeadingZero && text.utf8.contains { (0x30...0x39).contains($0) }
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
      }
  }

  // MARK: Names and strings

  private mutating func identifier() throws(Failure) -> String {
    let start = index
    while let scalar = current, scalar.isWordScalar { index += 1 }
    guard index > start, !("0"..."9").contains(scalars[start]) else {
      index = start
      throw unexpected("a name")
    }
    return String(String.UnicodeScalarView(scalars[start..<index]))
  }

  private mutating func string() throws(Failure) -> String {
    let start = index
    let quote = scalars[index]
    index += 1
    var units: [UInt16] = []
    while let scalar = current {
      index += 1
      switch scalar {
      case quote:
        guard let text = String(validating: units, as: UTF16.self) else {
          throw failure("the string has an unpaired surrogate", at: start)
        }
        return text
      case "\\": try escape(into: &units)
      case "\n", "\r": throw failure("the string has no end", at: start)
      default: units += UTF16.encode(scalar).map(Array.init) ?? []
      }
    }
    throw failure("the string has no end", at: start)
  }

  private mutating func escape(into units: inout [UInt16]) throws(Failure) {
    let start = index - 1
    guard let scalar = current else { throw failure("the string has no end", at: start) }
    index += 1
    switch scalar {
    case "b": units.append(0x08)
    case "f": units.append(0x0C)
    case "n": units.append(0x0A)
    case "r": units.append(0x0D)
    case "t": units.append(0x09)
    case "v": units.append(0x0B)
    case "0" where current.map({ ("0"..."9").contains($0) }) != true: units.append(0)
    case "x": units.append(try hexadecimal(digits: 2, start))
    case "u": units.append(try hexadecimal(digits: 4, start))
    // A backslash before the end of a line continues the string.
    case "\r": _ = skip("\n")
    case "\n", "\u{2028}", "\u{2029}": break
    case "0"..."9": throw failure("unknown escape \\\(scalar)", at: start)
    default: units += UTF16.encode(scalar).map(Array.init) ?? []
    }
  }

  private mutating func hexadecimal(digits: Int, _ start: Int) throws(Failure) -> UInt16 {
    let end = min(index + digits, scalars.count)
    let text = String(String.UnicodeScalarView(scalars[index..<end]))
    guard text.utf8.count == digits, let unit = UInt16(text, radix: 16), !text.hasPrefix("+") else {
      throw failure("expected \(digits) hexadecimal digits in an escape", at: start)
    }
    index = end
    return unit
  }

  // MARK: Tokens

  private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard current == scalar else { return false }
    index += 1
    return true
  }

  private mutating func skip(word: String) -> Bool {
    let word = Array(word.unicodeScalars)
    guard scalars[index...].starts(with: word) else { return false }
    index += word.count
    return true
  }

  private mutating func skipSpace() throws(Failure) {
    while let scalar = current {
      if scalar.properties.isWhitespace || scalar == "\u{FEFF}" {
        index += 1
      } else if scalars[index...].starts(with: "//".unicodeScalars) {
        index = scalars[index...].firstIndex { $0 == "\n" || $0 == "\r" } ?? scalars.count
      } else if scalars[index...].starts(with: "/*".unicodeScalars) {
        let start = index
        index += 2
        while !scalars[index...].starts(with: "*/".unicodeScalars) {
          guard index < scalars.count else { throw failure("the comment has no end", at: start) }
          index += 1
        }
        index += 2
      } else {
        return
      }
    }
  }

  private func unexpected(_ expected: String) -> Failure {
    let found = current.map { "\"\($0)\"" } ?? "the end of the file"
    return failure("expected \(expected), found \(found)", at: index)
  }

  private func failure(_ reason: String, at index: Int) -> Failure {
    Failure(position: position(of: index), reason: reason)
  }

  private func position(of index: Int) -> FilePosition {
    var position = FilePosition()
    for scalar in scalars[..<index] { position.advance(over: scalar) }
    return position
  }

  /// Returns the position of an index, which is not before that of the previous call.
  private mutating func advancePosition(to index: Int) -> FilePosition {
    for scalar in scalars[reached.index..<index] { reached.position.advance(over: scalar) }
    reached.index = index
    return reached.position
  }
}

extension Unicode.Scalar {
  /// Whether the scalar may be part of a name or a number.
  fileprivate var isWordScalar: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
    default: !isASCII && properties.isIDContinue
    }
  }
}
