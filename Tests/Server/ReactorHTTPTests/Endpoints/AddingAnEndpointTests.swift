import FoundationEssentials
import Identity
import ReactorCoding
import ReactorHost
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// The endpoint that the article AddingAnEndpoint adds.
private struct SizeEndpoints {
  let host: Host

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/reactors/{reactor}/sessions/{session}/size", needs: .read, handler: size,
        operation: Operation(
          "readSize", "The size of the session's State in bytes", parameters: [.reactor, .session],
          content: .json(.inline(["type": "integer"])),
          problems: [.unknownReactor, .unknownSession]))
    ]
  }

  private func size(_ call: Call) async throws(Problem) -> HTTPResponse {
    let reactor = try call.reactor(in: host)
    try call.negotiate()
    let session = try await call.openSession(of: reactor, try call.sessionID())
    return .json(encoding: session.current.json.count)
  }
}

struct AddingAnEndpointTests {
  private let service = Service(addingTo: { SizeEndpoints(host: $0).all })

  @Test func `the endpoint of the article responds with the size of the State`() throws {
    try service.act(#"{"add":5}"#)
    let state = try service.ask("GET", "\(Service.root)/demo").text
    #expect(try service.ask("GET", "\(Service.root)/demo/size").text == "\(state.utf8.count)")
    #expect(try service.ask("GET", "/v1/reactors/none/sessions/demo/size").status == 404)
    #expect(try service.ask("GET", "/openapi.json").text.contains(#""operationId":"readSize""#))
  }

  @Test func `each line of the article's code is compiled, in its order`() throws {
    let root = #filePath.split(separator: "/").dropLast(5).joined(separator: "/")
    let article = try String(
      contentsOfFile: "/\(root)/Sources/Server/ReactorHTTP/Documentation.docc/AddingAnEndpoint.md",
      encoding: .utf8)
    let blocks = article.split(separator: "```swift\n").dropFirst().compactMap {
      $0.split(separator: "```").first
    }
    #expect(blocks.count == 2)
    var rest = lines(of: try String(contentsOfFile: #filePath, encoding: .utf8))[...]
    for line in blocks.flatMap({ lines(of: $0) }) {
      let index = rest.firstIndex(of: line)
      #expect(index != nil, "\(line)")
      rest = rest.dropFirst(index.map { $0 - rest.startIndex + 1 } ?? 0)
    }
  }

  /// The lines of a text without their indentation.
  private func lines(of text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { String($0.drop { $0 == " " }) }
  }
}
