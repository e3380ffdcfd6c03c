/// Three brokers that form a cluster.
///
/// Their links to each other and to the nodes can be interrupted.
///
/// The brokers and nodes know no addresses except those of the links.
public final class BrokerNetwork: Sendable {
  /// The brokers.
  public let brokers: [Broker]

  /// The links between the brokers: broker `i` connects to broker `j` through `routes[i][j]`.
  private let routes: [[NetworkLink]]
  /// The links of each node to each broker.
  private let accesses: [[NetworkLink]]

  /// Starts three brokers, and waits until they accept connections.
  ///
  /// - Parameter nodes: The number of nodes that need links.
  /// - Throws: If a broker does not start.
  public init(nodes: Int) throws {
    let ports = (0..<3).map { _ in Broker.freePort() }
    let routes = try ports.map { _ in try ports.map { try NetworkLink(to: $0) } }
    let brokers = try (0..<3).map { index in
      let others = (0..<3).filter { $0 != index }.map { routes[index][$0].port }
      // The broker advertises an address at which nothing listens. Otherwise the other brokers
      // would connect to it without a link.
      return try Broker(
        "b\(index + 1)", cluster: ports[index], routes: others,
        "advertise: \"127.0.0.1:1\", no_advertise: true")
    }
    (self.routes, self.brokers) = (routes, brokers)
    accesses = try (0..<nodes).map { _ in try brokers.map { try NetworkLink(to: $0.port) } }
    for broker in brokers { try broker.start() }
    for broker in brokers { try broker.waitUntilReady() }
  }

  /// The addresses of the brokers for a node.
  public func url(forNode node: Int) -> String {
    accesses[node].map { "nats://127.0.0.1:\($0.port)" }.joined(separator: ",")
  }

  /// The links of a node to all brokers.
  public func links(ofNode node: Int) -> [NetworkLink] { accesses[node] }

  /// The links of a broker to the other ones.
  public func links(betweenBrokersAnd broker: Int) -> [NetworkLink] {
    brokers.indices.filter { $0 != broker }.flatMap { [routes[broker][$0], routes[$0][broker]] }
  }

  /// The links of a broker to the other ones and to all nodes.
  public func links(ofBroker broker: Int) -> [NetworkLink] {
    links(betweenBrokersAnd: broker) + accesses.map { $0[broker] }
  }
}
