import Foundation
import Testing

/// The article that lists the rules of flows with their tests.
struct ExactBehaviourTests {
  @Test func `the tests of each rule exist`() throws {
    let article = "Sources/Kit/ReactorFlows/Documentation.docc/ExactBehaviour.md"
    let tests = try [
      "Kit/ReactorFlowsTests", "EndToEnd/EndToEndTests/Flows", "EndToEnd/EndToEndTests/Browser",
    ]
    .map { try text(ofFilesIn: "Tests/" + $0) }.joined()
    let lines = try String(contentsOf: Guide.root.appending(path: article), encoding: .utf8)
      .split(separator: "\n")
    let rows = lines.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }.filter { $0.last?.hasPrefix("`") == true }
    #expect(rows.compactMap(\.first).filter { $0.hasPrefix("F") } == (1...21).map { "F\($0)" })
    for row in rows {
      let names = row.last?.split(separator: "`").filter { $0 != ", " } ?? []
      for name in names { #expect(tests.contains("func `\(name)`"), "\(name)") }
    }
  }

  private func text(ofFilesIn folder: String) throws -> String {
    let files = try FileManager.default.contentsOfDirectory(
      at: Guide.root.appending(path: folder), includingPropertiesForKeys: nil)
    return try files.filter { $0.pathExtension == "swift" }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
  }
}
