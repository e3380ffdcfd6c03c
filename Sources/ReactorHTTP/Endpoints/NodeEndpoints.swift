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
    struct Entry: Encodable {
      let node: ServiceNode

      private enum CodingKeys: CodingKey {
        case name, state, version, sessions, isThis, differences
      }

      /// All members are always present.
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(node.name, forKey: .name)
        try container.encode(node.state, forKey: .state)
        try container.encode(node.version, forKey: .version)
        try container.encode(node.sessions, forKey: .sessions)
        try container.encode(node.isThis, forKey: .isThis)
        try container.encode(node.differences, forKey: .differences)
      }
    }

    let nodes: [Entry]
  }

  private func list(_ call: Call) throws(Problem) {
    try call.negotiate()
    guard let nodes = settings.nodes else { return call.reply(.json(encoding: Listing(nodes: []))) }
    nodes { [reply = call.reply] nodes in
      reply(.json(encoding: Listing(nodes: nodes.map { Listing.Entry(node: $0) })))
    }
  }
}
