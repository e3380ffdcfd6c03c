import FoundationEssentials
import Testing

@testable import ReactorHTTP

/// Compares the article HTTPContract with the endpoint table and the problem types.
struct ContractTests {
  private let contract: String

  init() throws {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    contract = try String(
      contentsOfFile: "/\(root)/Sources/ReactorHTTP/Documentation.docc/HTTPContract.md",
      encoding: .utf8)
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
}
