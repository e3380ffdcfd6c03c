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
    var nodes: [ServiceNode] = []
    var gone: [GoneNode] = []
  }

  private func list(_ call: Call) throws(Problem) {
    try call.negotiate()
    guard let nodes = settings.nodes else { return call.reply(.json(encoding: Listing())) }
    nodes { [reply = call.reply] nodes, gone in
      reply(.json(encoding: Listing(nodes: nodes, gone: gone)))
    }
  }
}
