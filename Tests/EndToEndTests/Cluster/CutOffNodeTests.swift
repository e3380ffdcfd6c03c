import Brokers
import Testing

/// A node that is cut off from the brokers, while another one continues its sessions.
@Suite(.blocking) struct CutOffNodeTests {
  private let network: BrokerNetwork
  private let cluster: NodeCluster

  init() throws {
    let network = try BrokerNetwork(nodes: 3)
    self.network = network
    cluster = try NodeCluster(
      ["--cluster-suspect", "2", "--cluster-wait", "3"],
      store: NATSStore(network.brokers[0].url, replicas: 3),
      addresses: (0..<3).map { network.url(forNode: $0) })
  }

  /// The cut-off node still has the session in memory, and serves reads of it for up to 12 s.
  @Test func `a stream that resumes with a newer position is not reset to an older State`() throws {
    let paths = [
      "/v1/reactors/counter/sessions/demo/events", "/v1/events?session=counter/demo",
      "/v1/globals/currentUser/events",
    ]
    // The brokers can still be electing a leader.
    let first = cluster.clients(of: "counter", "demo")[0]
    let once = ["Idempotency-Key": "\"once\""]
    #expect(try eventually { try first.post(#""increase""#, once).status == 200 })
    #expect(try eventually { try put("Ada", at: cluster[0]) == 200 })
    let owner = try cluster.owner()
    let (stale, other) = (try cluster[owner], try cluster[(owner + 1) % 3])
    for path in paths { _ = try lastEvent(of: path, at: stale) }
    for link in network.links(ofNode: owner) { link.interrupt() }
    let session = SessionClient(other.client(), "/v1/reactors/counter/sessions/demo")
    let key = ["Idempotency-Key": "\"k\""]
    #expect(
      try eventually { try session.post(#""increase""#, key).json["value"] == 2 })
    #expect(try eventually { try put("Bob", at: other) == 200 })
    let positions = try paths.map { try lastEvent(of: $0, at: other) }
    for (path, position) in zip(paths, positions) {
      let stream = try EventStream(port: stale.port, path, ["Last-Event-ID": position])
      #expect(stream.head.status == 503, "\(path)")
      #expect(stream.head["Retry-After"] != nil)
    }
    for link in network.links(ofNode: owner) { link.restore() }
    for (path, position) in zip(paths, positions) {
      let stream = try resumedStream(path, position, at: stale)
      #expect(try stream.next()?.retry != nil)
      // The stream confirms that the client has the current State.
      let first = try stream.next()
      #expect(first?.comments == ["current"], "\(path) \(position) \(String(describing: first))")
    }
  }

  private func put(_ name: String, at node: ReactordProcess) throws -> Int {
    try node.client().send("PUT", "/v1/globals/currentUser", json: #"{"name":"\#(name)"}"#).status
  }

  /// The id of the first event of a stream.
  private func lastEvent(of path: String, at node: ReactordProcess) throws -> String {
    let event = try EventStream(port: node.port, path).nextEvent()
    return try #require(event?.id)
  }

  /// Opens a stream as soon as the node accepts it.
  private func resumedStream(
    _ path: String, _ position: String, at node: ReactordProcess
  ) throws -> EventStream {
    var stream: EventStream?
    let isOpen = try eventually {
      stream = try EventStream(port: node.port, path, ["Last-Event-ID": position])
      return stream?.head.status == 200
    }
    try #require(isOpen)
    return try #require(stream)
  }
}
