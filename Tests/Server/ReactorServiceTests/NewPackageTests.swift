import Foundation
import Testing

@testable import ReactorService

struct NewPackageTests {
  private static let template = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Examples/NewPackage")

  @Test func `the template is the package that is compiled and tested`() throws {
    let name = try #require(PackageName("todo"))
    let files = PackageTemplate(name: name, source: .path("../reactord")).files
    for (path, text) in files {
      let compiled = try String(contentsOf: Self.template.appending(path: path), encoding: .utf8)
      #expect(text == compiled, "\(path)")
    }
    let all = try #require(
      FileManager.default.enumerator(atPath: Self.template.path)?.allObjects as? [String])
    let sources = all.filter { path in
      path.contains(".") || !["Sources", "Tests", "public"].contains(where: path.hasPrefix)
    }
    #expect(Set(sources) == Set(files.map(\.path)))
  }

  @Test func `another name replaces that of the template`() throws {
    let name = try #require(PackageName("to-buy"))
    let files = PackageTemplate(name: name, source: .path("../reactord")).files
    for (path, places) in [
      ("Sources/ToBuyReactors/ToBuyReactor.swift", ["final class ToBuyReactor: Reactor {"]),
      (
        "Tests/ToBuyReactorsTests/ToBuyReactorTests.swift",
        ["import ToBuyReactors\n", "struct ToBuyReactorTests {", "ReactorTest(ToBuyReactor())"]
      ),
      (
        "public/index.html",
        ["<title>to-buy</title>", "<h1>to-buy</h1>", #"todo = reactor("to-buy", "home")"#]
      ),
    ] {
      let file = try #require(files.first { $0.path == path })
      for place in places { #expect(file.text.contains(place)) }
    }
    for (path, text) in files {
      #expect(!text.contains("Todo"), "\(path)")
      // A variable of the page has the name of the example.
      #expect(path == "public/index.html" || !text.contains("todo"), "\(path)")
    }
  }

  @Test func `the image has the base and the user of the project's`() throws {
    let name = try #require(PackageName("todo"))
    let own = try String(
      contentsOf: Self.template.appending(path: "../../../Dockerfile"), encoding: .utf8)
    for example in [nil] + PackageExample.all.map(Optional.some) {
      let template = PackageTemplate(name: name, source: .path("../reactord"), example: example)
      let written = try #require(template.files.first { $0.path == "Dockerfile" }).text
      for line in own.split(separator: "\n")
      where line.hasPrefix("FROM ") || line.hasPrefix("USER ") {
        #expect(written.contains("\n\(line)\n") || written.hasPrefix("\(line)\n"), "\(line)")
      }
    }
  }

  @Test(arguments: [
    ("todo", "Todo"), ("todo-list", "TodoList"), ("a", "A"), ("x2-3d", "X23d"),
    (String(repeating: "a", count: 40), "A" + String(repeating: "a", count: 39)),
  ])
  func `a name becomes a type`(text: String, type: String) throws {
    let name = try #require(PackageName(text))
    #expect(name.type == type)
    #expect(name.module == type + "Reactors")
  }

  @Test(arguments: [
    "", "Todo", "to do", "-todo", "todo-", "to--do", "2do", "todö", "../todo", "todo/x", "todo\n",
    String(repeating: "a", count: 41),
  ])
  func `a text outside of the grammar is no name`(text: String) {
    #expect(PackageName(text) == nil)
  }

  @Test(arguments: [
    ("../reactord", #".package(path: "../reactord")"#, "reactord", "../reactord"),
    ("/src/Main/", #".package(path: "/src/Main/")"#, "main", "/src/Main/"),
    (
      "https://example.org/a/reactord.git",
      #".package(url: "https://example.org/a/reactord.git", exact: "\#(ServiceVersion.current)")"#,
      "reactord", ".build/checkouts/reactord"
    ),
    (
      "git@example.org:reactord",
      #".package(url: "git@example.org:reactord", exact: "\#(ServiceVersion.current)")"#,
      "reactord", ".build/checkouts/reactord"
    ),
    (#"/a"b\c"#, #".package(path: "/a\"b\\c")"#, #"a"b\c"#, #"/a"b\c"#),
  ])
  func `the sources are a folder or a repository`(
    text: String, dependency: String, identity: String, folder: String
  ) {
    let source = PackageSource(text)
    #expect(source.dependency == dependency)
    #expect(source.identity == identity)
    #expect(source.folder == folder)
  }
}
