internal import Identity
internal import ReactorCoding

extension SettingFormat {
  /// A list as JSON: an array in the file, its text elsewhere.
  static func list<Element>(expected: String) -> SettingFormat where Value == JSONList<Element> {
    SettingFormat(
      placeholder: "JSON", expected: expected,
      readInput: { input, expected throws(SettingProblem) in
        let bytes = try input.array(expected)
        do throws(ListSyntaxError) {
          return try JSONList(bytes)
        } catch {
          throw SettingProblem(reason: error.description)
        }
      },
      write: \.json)
  }
}

extension SettingInput {
  /// Returns the text of a JSON array.
  fileprivate func array(_ expected: String) throws(SettingProblem) -> [UInt8] {
    let bytes: [UInt8]? =
      switch self {
      case .text(let text): Array(text.utf8)
      case .json(let value): value.json?.bytes
      }
    guard let bytes, bytes.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "[")
    else { throw SettingProblem(reason: "expected \(expected), found \(self)") }
    return bytes
  }
}

extension SettingFormat where Value == [String] {
  /// Texts without commas that are not empty, separated by commas; empty for none.
  static var texts: SettingFormat {
    SettingFormat(
      placeholder: "TEXT[,TEXT...]", expected: "texts that are not empty, separated by commas",
      read: { text in
        guard !text.isEmpty else { return [] }
        let texts = text.split(separator: ",", omittingEmptySubsequences: false)
          .map { String($0.drop { $0 == " " }) }
        return texts.contains("") ? nil : texts
      },
      write: { $0.joined(separator: ",") })
  }
}

extension SettingFormat where Value == String {
  /// Any text; empty for none.
  static var text: SettingFormat {
    SettingFormat(placeholder: "TEXT", expected: "a text", read: \.self, write: \.self)
  }

  /// The name of a cookie (RFC 6265, 4.1.1); empty for none.
  static var cookieName: SettingFormat {
    SettingFormat(
      placeholder: "NAME", expected: "the name of a cookie: letters, digits, - and _",
      read: { text in
        let isName = text.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
          default: false
          }
        }
        return isName && text.utf8.count <= 128 ? text : nil
      }, write: \.self)
  }
}

extension ConfigurationValue {
  /// The value as JSON, or `nil` if it contains a number that JSON does not have.
  var json: JSONValue? {
    switch self {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .number(JSONNumber(value))
    case .number(let value): return JSONNumber(value).map { .number($0) }
    case .string(let text): return .string(text)
    case .array(let values):
      let elements = values.compactMap(\.json)
      return elements.count == values.count ? .array(elements) : nil
    case .object(let members):
      let converted = members.compactMap { member in
        member.value.json.map { JSONValue.Member(member.name, $0) }
      }
      return converted.count == members.count ? .object(converted) : nil
    }
  }
}
