public import ReactorLog

/// The connection of a node to the other nodes of its cluster: requests, messages and broadcasts.
///
/// A bus knows neither sessions nor logs. Its bytes are the messages of ``NodeMessage``.
public protocol ClusterBus: Sendable {
  /// Receives requests and messages for a node from now on.
  ///
  /// A second call replaces the identity: requests to the previous incarnation fail with
  /// ``BusError/noSuchNode``.
  ///
  /// - Parameters:
  ///   - node: The name and the incarnation of this process.
  ///   - handler: Receives what other nodes send.
  func join(as node: NodeID, _ handler: any BusHandler)

  /// Receives nothing any more: the node has left the cluster.
  func leave()

  /// Sends a request to a node.
  ///
  /// - Parameters:
  ///   - bytes: The request.
  ///   - node: The receiver.
  ///   - timeout: The maximum wait for the reply.
  ///   - completion: Called once with the reply or an error. Any thread, the calling one included.
  func request(
    _ bytes: [UInt8], to node: NodeID, within timeout: Duration,
    completion: @escaping @Sendable (Result<[UInt8], BusError>) -> Void)

  /// Sends a message to a node, at most once and in order per lane.
  ///
  /// - Parameters:
  ///   - bytes: The message.
  ///   - node: The receiver.
  ///   - lane: The lane, from 0 to ``lanes`` - 1. Messages of different lanes have no order.
  func send(_ bytes: [UInt8], to node: NodeID, lane: Int)

  /// Sends a message to all other nodes, at most once.
  func broadcast(_ bytes: [UInt8])

  /// Whether the engine behind the bus has confirmed a write of this node recently. A node that is cut off from
  /// the majority of the brokers cannot write, and serves no reads from memory.
  var hasQuorum: Bool { get }
}

extension ClusterBus {
  /// The number of lanes.
  public static var lanes: Int { 4 }
}

/// Receives what other nodes send.
public protocol BusHandler: AnyObject, Sendable {
  /// A request of another node. Any thread; it must not block.
  ///
  /// - Parameters:
  ///   - bytes: The request.
  ///   - reply: Sends the reply, called at most once, on any thread.
  func didReceive(request bytes: [UInt8], reply: @escaping @Sendable ([UInt8]) -> Void)

  /// A message of another node.
  ///
  /// Called in the order of the messages of a lane; it must not block.
  func didReceive(message bytes: [UInt8])
}

/// An error of a request between nodes.
public enum BusError: Error, Equatable, Sendable {
  /// No process receives requests for the node: the request was not delivered.
  case noSuchNode

  /// No reply arrived in time: the request may have been executed.
  case timedOut
}
