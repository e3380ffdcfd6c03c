internal import ReactorCoding

/// Formats the difference between two States for a terminal.
struct TerminalText {
  /// Whether to use colours.
  let isColoured: Bool

  /// The maximum length of a value, in Unicode scalars: a character may have any number.
  private static let valueLimit = 400

  private enum Colour: String {
    case green = "32", red = "31", yellow = "33", grey = "90"
  }

  /// Returns the line above the changes of a version.
  func heading(_ cursor: String, note: String = "") -> String {
    paint(note.isEmpty ? cursor : "\(cursor) \(note)", .grey)
  }

  /// Returns one line per operation of a patch, with the previous value.
  func lines(of patch: JSONPatch, on state: JSONValue) -> [String] {
    var lines: [String] = []
    var before = state
    for operation in patch.operations {
      lines.append(line(of: operation, on: before))
      before = (try? JSONPatch([operation]).applied(to: before)) ?? before
    }
    return lines
  }

  private func line(of operation: JSONPatch.Operation, on state: JSONValue) -> String {
    switch operation {
    case .add(let pointer, let value):
      return paint("+ \(name(pointer)) \(text(value))", .green)
    case .remove(let pointer):
      return paint("- \(name(pointer)) \(text(state[at: pointer]))", .red)
    case .replace(let pointer, let value):
      return paint("~ \(name(pointer)) \(text(state[at: pointer])) → \(text(value))", .yellow)
    case .move(let source, let target):
      return paint("~ \(name(source)) moved to \(name(target))", .yellow)
    case .copy(let source, let target):
      return paint("+ \(name(target)) \(text(state[at: source]))", .green)
    case .test(let pointer, _): return paint("= \(name(pointer))", .grey)
    }
  }

  private func name(_ pointer: JSONPointer) -> String {
    let text = Self.printable("\(pointer)")
    return text.isEmpty ? "/" : text
  }

  private func text(_ value: JSONValue?) -> String {
    guard let value else { return "?" }
    let text = Self.printable(String(decoding: value.bytes, as: UTF8.self))
    let scalars = text.unicodeScalars
    let start = scalars.prefix(Self.valueLimit)
    return start.endIndex < scalars.endIndex ? String(start) + "…" : text
  }

  /// Replaces the characters that control the terminal or the direction of text.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}"
          default: scalar
          }
        }))
  }

  private func paint(_ text: String, _ colour: Colour) -> String {
    isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension JSONValue {
  /// The value at a pointer, or `nil` if there is none.
  fileprivate subscript(at pointer: JSONPointer) -> JSONValue? {
    var value: JSONValue? = self
    for token in pointer.tokens {
      switch value {
      case .array(let elements):
        value = Int(token).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      default: value = value?[token]
      }
    }
    return value
  }
}
