import Foundation
import ReactorClient
import Testing

/// The code of the client's articles is the code that the tests compile.
@Suite(.timeLimit(.minutes(60))) struct GuideTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()

  /// The lines of a file of the tests without their indentation.
  private func lines(_ name: String) throws -> [String] {
    try lines(of: String(contentsOf: Self.tests.appending(path: name), encoding: .utf8))
  }

  private func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// The code blocks of an article in a language.
  private func blocks(_ article: String, _ language: String) throws -> [String] {
    let url = Self.tests.appending(path: "../../..").standardizedFileURL
      .appending(path: "Sources/Client/ReactorClient/Documentation.docc/\(article).md")
    return try String(contentsOf: url, encoding: .utf8).components(separatedBy: "```\(language)\n")
      .dropFirst().compactMap { $0.components(separatedBy: "```").first }
  }

  @Test(arguments: ["ReactorClient", "FromLocalToHosted", "SwiftUIView"])
  func `each line of an article's code is compiled, in its order`(article: String) throws {
    let package = "../../Examples/ClientPackage/"
    let compiled = try [
      "GuideExamples.swift", "CounterScreen.swift", package + "Package.swift",
      package + "Sources/counter-client/main.swift",
    ].map { try lines($0) }
    let blocks = try blocks(article, "swift")
    #expect(!blocks.isEmpty)
    for block in blocks {
      let isCompiled = compiled.contains { file in
        var rest = file[...]
        return lines(of: block).allSatisfy { line in
          guard let index = rest.firstIndex(of: line) else { return false }
          rest = rest[(index + 1)...]
          return true
        }
      }
      #expect(isCompiled, "\(article): \(block)")
    }
  }

  @Test func `the difference from a local reactor is compiled and has five lines`() throws {
    let compiled = try lines("GuideExamples.swift")
    let changes = try blocks("FromLocalToHosted", "diff").flatMap { lines(of: $0) }
    let added = changes.filter { $0.hasPrefix("+") }
    #expect(changes.filter { $0.hasPrefix("+") || $0.hasPrefix("-") }.count == 5)
    for line in added {
      #expect(compiled.contains(line.dropFirst().trimmingCharacters(in: .whitespaces)))
    }
  }

  @Test func `the model of the article's test receives the State`() async throws {
    let model = await GuideExamples.model()
    while await model.state.value != 1 { await Task.yield() }
    #expect(await model.problem == nil)
  }
}
