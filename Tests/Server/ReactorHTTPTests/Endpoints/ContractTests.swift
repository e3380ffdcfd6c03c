import ClientCore
import FoundationEssentials
import Testing

@testable import ReactorHTTP

/// Compares the article HTTPContract with the endpoint table, the problem types and the events.
struct ContractTests {
  private let folder: String
  private let contract: String

  init() throws {
    let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
    folder = "/\(root)/Sources/Server/ReactorHTTP/"
    contract = try String(
      contentsOfFile: folder + "Documentation.docc/HTTPContract.md", encoding: .utf8)
  }

  @Test func `the contract names every endpoint`() {
    for endpoint in Service().api.endpoints.resources.flatMap(\.endpoints) {
      let request = "`\(endpoint.method.name) \(endpoint.template)`"
      #expect(contract.contains("| \(request) |"), "\(request)")
    }
  }

  @Test func `names every problem type with its status`() {
    for kind in ProblemKind.allCases {
      let row = contract.split(separator: "\n").contains {
        $0.hasPrefix("| \(kind.status) |") && $0.contains("`\(kind.rawValue)`")
      }
      #expect(row, "\(kind.status) \(kind.rawValue)")
    }
  }

  @Test func `the clients know every problem type with its status`() throws {
    var kinds = Dictionary(
      grouping: ProblemKind.allCases.filter { $0 != .effectFailed }, by: \.status
    )
    .mapValues { Set($0.map(\.rawValue)) }
    #expect(ClientCore.Problem.Kind.served == kinds)
    let script = try String(
      contentsOfFile: folder + "../ReactorPages/Client/requests.js", encoding: .utf8)
    for match in script.matches(of: /\n  (\d{3}): "([a-z -]+)",/) {
      let names = kinds.removeValue(forKey: try #require(Int(match.1))) ?? []
      #expect(Set(match.2.split(separator: " ").map(String.init)) == names)
    }
    #expect(kinds.isEmpty)
  }

  @Test func `names every event`() throws {
    let kinds: [StreamEvent.Kind] = [
      .whole, .wholeBeforePatches, .patch, .merge, .change, .signals,
    ]
    var names = Set(kinds.compactMap(\.name))
    let notice = /(?i:notice)\(\s*"([a-z]+)"/
    for file in try FileManager.default.subpathsOfDirectory(atPath: folder)
    where file.hasSuffix(".swift") {
      let source = try String(contentsOfFile: folder + file, encoding: .utf8)
      names.formUnion(source.matches(of: notice).map { String($0.output.1) })
    }
    #expect(names.count >= 12)
    let words = contract.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for name in names { #expect(words.contains("event: \(name)"), "\(name)") }
  }
}
