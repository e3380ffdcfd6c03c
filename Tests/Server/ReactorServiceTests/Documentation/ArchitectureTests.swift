import FoundationEssentials
import Testing

/// Compares the articles Architecture and TheWayOfAnAction with the sources.
struct ArchitectureTests {
  private let root: String

  init() {
    root = "/" + #filePath.split(separator: "/").dropLast(5).joined(separator: "/") + "/"
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: root + path, encoding: .utf8)
  }

  private func article(_ name: String) throws -> String {
    try text("Sources/Server/ReactorService/Documentation.docc/\(name).md")
  }

  /// The folder of each target by its name, such as `Sources/Kit/ReactorCore`.
  private func targets() throws -> [Substring: String] {
    var folders: [Substring: String] = [:]
    for group in try FileManager.default.contentsOfDirectory(atPath: root + "Sources") {
      for target in try FileManager.default.contentsOfDirectory(atPath: root + "Sources/\(group)") {
        folders[target[...]] = "Sources/\(group)/\(target)"
      }
    }
    return folders
  }

  /// The Swift files of a target, as one text.
  private func sources(of target: Substring) throws -> String {
    let folder = try #require(try targets()[target])
    return try FileManager.default.subpathsOfDirectory(atPath: root + folder)
      .filter { $0.hasSuffix(".swift") }
      .map { try text("\(folder)/\($0)") }.joined()
  }

  @Test func `the article names every target`() throws {
    let article = try article("Architecture")
    for target in try targets().keys {
      #expect(article.contains(try Regex("[`(]([A-Za-z]+, )?\(target)[`,)]")), "\(target)")
    }
  }

  @Test func `the article names every thread and queue`() throws {
    let article = try article("Architecture")
    let name = /(?:SystemThread\(named|DispatchQueue\(label): "([a-z.-]+)"/
    var names: Set<String> = []
    // The clients and their transport are not part of the service.
    for target in try targets().keys
    where !target.contains("Client") && !target.hasPrefix("ReactorTesting")
      && target != "CurlTransport"
    {
      names.formUnion(try sources(of: target).matches(of: name).map { String($0.output.1) })
    }
    #expect(names.count > 15)
    for name in names { #expect(article.contains("`\(name)`"), "\(name)") }
  }

  @Test func `the functions of an action exist and are counted`() throws {
    let sections = try article("TheWayOfAnAction").split(separator: "\n## ").dropFirst(2)
    #expect(sections.count == 2)
    for section in sections {
      var targets: [Substring] = []
      var source = ""
      var count = 0
      for row in section.matches(of: /\n\| (\w*) ?\| `[\w.]*?(\w+)\(.*?\)` \|/) {
        count += 1
        if !row.output.1.isEmpty {
          targets.append(row.output.1)
          source = try sources(of: row.output.1)
        }
        let isDeclared = ["(", "<"].contains { source.contains("func \(row.output.2)\($0)") }
        #expect(isDeclared, "\(targets.last ?? "").\(row.output.2)")
      }
      #expect(section.contains("\(count) functions, \(targets.count - 1) changes of the module"))
      #expect(count <= 150 && targets.count - 1 <= 40)
    }
  }
}
