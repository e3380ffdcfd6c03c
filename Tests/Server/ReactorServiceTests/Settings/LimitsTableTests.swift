import Testing

@testable import ReactorHTTP
@testable import ReactorService

/// The table of limits in the documentation, compared with the table of settings and the problem types.
struct LimitsTableTests {
  /// A row: what is bounded, the setting or the constant, and what the client receives.
  private struct Row {
    var cells: [String]

    /// The names of settings in a cell, each with the text in parentheses behind it.
    var settings: [(name: String, value: String)] {
      codes(in: cells[1]).filter { $0.text.contains(".") }
        .map { ($0.text, $0.rest.parenthesized ?? "") }
    }

    /// The problems in the last cell: a status and a type.
    var problems: [(status: String, type: String)] {
      codes(in: cells[2]).compactMap { code in
        let status = code.before.suffix(4).filter(\.isNumber)
        return status.count == 3 ? (String(status), code.text) : nil
      }
    }

    /// The texts between backticks, with what is before and behind them.
    private func codes(in cell: String) -> [(before: String, text: String, rest: String)] {
      let parts = cell.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
      return stride(from: 1, to: parts.count - 1, by: 2).map {
        (parts[$0 - 1], parts[$0], parts[$0 + 1])
      }
    }
  }

  private static func rows() throws -> [Row] {
    let path = Repository.file("Sources/Server/ReactorHTTP/Documentation.docc/Bounds.md")
    let text = String(decoding: try SmallFile.read(path, limit: 100_000), as: UTF8.self)
    return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).map { line in
      Row(cells: line.dropFirst(2).dropLast(2).split(separator: " | ").map(String.init))
    }
  }

  @Test func `every limit of the settings is in the table, and names a setting`() throws {
    let rows = try Self.rows()
    #expect(rows.count > 50)
    for row in rows {
      #expect(row.cells.count == 3, "\(row.cells)")
      #expect(row.cells.allSatisfy { !$0.isEmpty })
    }
    let all = try SettingsTable(extras: []).settings.map(\.name)
    let documented = Set(rows.flatMap { $0.settings.map(\.name) })
    let bounding = ["actions.wait", "changes.keep"]
    for name in all where name.hasPrefix("limits.") || bounding.contains(name) {
      #expect(documented.contains(name), "\(name) is missing in Bounds.md")
    }
    #expect(documented.subtracting(all) == [])
  }

  @Test func `the documented defaults are those of the settings`() throws {
    let settings = try SettingsTable(extras: []).settings
    var compared = 0
    for (name, value) in try Self.rows().flatMap(\.settings) {
      let setting = try #require(settings.first { $0.name == name })
      let documented = try #require(value.leadingNumber, "\(name) has no default: \(value)")
      #expect("\(documented)" == setting.literal(Configuration()), "\(name)")
      compared += 1
    }
    #expect(compared > 10)
  }

  @Test func `the documented responses are problem types with their status`() throws {
    var compared = 0
    // The status of a failed effect is that of its error.
    for (status, type) in try Self.rows().flatMap(\.problems) where type != "effect-failed" {
      let kind = try #require(ProblemKind(rawValue: type), "\(type) is unknown")
      #expect("\(kind.status)" == status, "\(type)")
      compared += 1
    }
    #expect(compared > 25)
  }
}

extension String {
  /// The text in the parentheses at the start of the string.
  fileprivate var parenthesized: String? {
    guard hasPrefix(" ("), let end = firstIndex(of: ")") else { return nil }
    return String(self[index(startIndex, offsetBy: 2)..<end])
  }

  /// A number with an optional unit at the beginning: `16 KiB`, `100,000`, `0: none`.
  fileprivate var leadingNumber: Int? {
    let digits = prefix { $0.isNumber || $0 == "," }
    guard let number = Int(digits.filter(\.isNumber)) else { return nil }
    switch dropFirst(digits.count).split(separator: " ").first {
    case "KiB": return number << 10
    case "MiB": return number << 20
    default: return number
    }
  }
}
