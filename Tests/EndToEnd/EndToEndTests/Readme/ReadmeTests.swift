import Foundation
import Testing

/// The README's reactor is compiled and run.
@Suite(.blocking) struct ReadmeTests {
  private static let root = Guide.root

  private static func text(of path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test(arguments: ["TodoReactor.swift", "main.swift"])
  func `the README quotes the files that are compiled`(file: String) throws {
    let code = try Self.text(of: "Tests/Examples/ReadmeExample/\(file)")
    let readme = try Self.text(of: "README.md")
    #expect(readme.contains("```swift\n\(code)```\n"))
  }

  @Test func `the reactor is a complete file of at most 40 lines`() throws {
    let code = try Self.text(of: "Tests/Examples/ReadmeExample/TodoReactor.swift")
    #expect(code.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
  }

  @Test func `the line that registers it is the compiled one`() throws {
    let words = { (text: String) in text.split { $0.isWhitespace }.joined(separator: " ") }
    let registration = """
      ReactorRegistration("todo", summary: "Things to do", exampleActions: [.add("Buy milk")]) {
        TodoReactor()
      }
      """
    #expect(words(try Self.text(of: "README.md")).contains(words(registration) + ","))
    let main = words(try Self.text(of: "Tests/Examples/ReadmeExample/main.swift"))
    #expect(main.contains(words(registration)))
  }

  @Test func `the reactor is hosted and responds to the README's commands`() throws {
    let service = try ReactordProcess(program: "ReadmeExample")
    defer { _ = try? service.stop() }
    let home = SessionClient(service.client(), "/v1/reactors/todo/sessions/home")

    #expect(
      try home.post(#"{"add":"Buy milk"}"#).text
        == #"{"items":[{"title":"Buy milk","isDone":false}]}"#)
    #expect(
      try home.post(#"{"toggle":0}"#).text
        == #"{"items":[{"title":"Buy milk","isDone":true}]}"#)
    let rejected = try home.post(#"{"toggle":5}"#)
    #expect(rejected.status == 404)
    #expect(rejected.text.contains("No such item"))
    #expect(try home.post(#""clearDone""#).text == #"{"items":[]}"#)
  }
}
