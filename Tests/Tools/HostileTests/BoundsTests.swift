import Foundation
import Testing

@testable import Hostile

@Suite struct BoundsTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardized

  private static func lines(_ path: String) throws -> [String] {
    try String(contentsOf: repository.appending(path: path), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  /// The bounds of the article, and the kinds that the list has for each, or none with a reason.
  private static func covered() throws -> [(bound: String, kinds: [String])] {
    try lines("Tests/Tools/Hostile/bounds.txt").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.components(separatedBy: " | ")
      try #require(parts.count == 2, "\(line)")
      let isReached = !parts[1].hasPrefix("-")
      return (parts[0], isReached ? parts[1].split(separator: " ").map(String.init) : [])
    }
  }

  @Test func `each bound of the article has a kind that reaches it`() throws {
    let article = try Self.lines("Sources/Server/ReactorHTTP/Documentation.docc/Bounds.md")
      .filter { $0.hasPrefix("| ") }.dropFirst(2)
      .map { $0.components(separatedBy: " | ")[0].dropFirst(2) }
    #expect(article.count > 100)
    #expect(try Self.covered().map(\.bound) == article.map(String.init))
  }

  @Test func `each kind of the list exists, and has a name of its own`() throws {
    let names = AbusiveClient.all.map(\.name)
    #expect(Set(names).count == names.count)
    for (bound, kinds) in try Self.covered() {
      #expect(kinds.allSatisfy { names.contains($0) }, "\(bound): \(kinds)")
    }
  }

  @Test func `each shared bound is reached behind a proxy as well`() throws {
    for (bound, kinds) in try Self.covered() where bound.contains("shared") {
      let isOfCluster = kinds.allSatisfy { $0.hasPrefix("cluster-") }
      guard !isOfCluster, !bound.contains("piece that several share") else { continue }
      #expect(kinds.contains { $0.hasSuffix("-behind-a-proxy") }, "\(bound)")
    }
  }
}
