internal import Identity
internal import ReactorTransport

/// The nodes of the cluster.
struct NodeEndpoints {
  let settings: ReactorAPI.Settings

  var all: [Endpoint] {
    [
      Endpoint(
        .get, "/v1/nodes", needs: .read, handler: list,
        operation: Operation(
          "listNodes", "The processes that share the sessions of the store",
          content: .json(.component("NodeList"))))
    ]
  }

  private struct Listing: Encodable {
    let nodes: [ServiceNode]
    let gone: [GoneNode]
  }

  private func list(_ call: Call) async throws(Problem) -> HTTPResponse {
    try call.negotiate()
    let (alive, gone) = await settings.nodes?() ?? ([], [])
    return .json(encoding: Listing(nodes: alive, gone: gone))
  }
}
