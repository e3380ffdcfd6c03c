package import ReactorLog

/// The connection of a node to the other nodes of its cluster: requests, messages and broadcasts.
///
/// A bus does not interpret the bytes, which are those of `NodeMessage`, `NodeRequest` and
/// `NodeReply`.
package protocol ClusterBus: Sendable {
  /// Begins to receive the requests and messages for a node.
  ///
  /// A second call replaces the identity: requests to the previous incarnation fail with
  /// `BusError.noSuchNode`.
  ///
  /// - Parameters:
  ///   - node: The name and the incarnation of this process.
  ///   - handler: Receives the requests and messages of other nodes.
  func join(as node: NodeID, _ handler: any BusHandler)

  /// Stops receiving: the node has left the cluster.
  func leave()

  /// Sends a request to a node.
  ///
  /// - Parameters:
  ///   - bytes: The request.
  ///   - node: The receiver.
  ///   - timeout: The maximum wait for the reply.
  ///   - completion: Called once with the reply or an error, on any thread, including the calling
  ///     one.
  func request(
    _ bytes: [UInt8], to node: NodeID, within timeout: Duration,
    completion: @escaping @Sendable (Result<[UInt8], BusError>) -> Void)

  /// Sends a message to a node, at most once and in order per lane.
  ///
  /// - Parameters:
  ///   - bytes: The message.
  ///   - node: The receiver.
  ///   - lane: The lane, from 0 to ``lanes`` - 1. The order of messages of different lanes is
  ///     undefined.
  func send(_ bytes: [UInt8], to node: NodeID, lane: Int)

  /// Sends a message to all other nodes, at most once.
  func broadcast(_ bytes: [UInt8])

  /// Whether the store has confirmed a write of this node recently. A node that is cut off from the
  /// store cannot write, and serves no reads from memory.
  var hasQuorum: Bool { get }
}

extension ClusterBus {
  /// Sends a request to a node, and waits for its reply.
  ///
  /// - Parameters:
  ///   - bytes: The request.
  ///   - node: The receiver.
  ///   - timeout: The maximum wait for the reply.
  /// - Returns: The reply.
  /// - Throws: If no reply has arrived in time.
  package func request(
    _ bytes: [UInt8], to node: NodeID, within timeout: Duration
  ) async throws(BusError) -> [UInt8] {
    try await withCheckedContinuation { continuation in
      request(bytes, to: node, within: timeout) { continuation.resume(returning: $0) }
    }.get()
  }
}

/// Receives the requests and messages of other nodes.
package protocol BusHandler: AnyObject, Sendable {
  /// Handles a request of another node. Called on any thread; must not block.
  ///
  /// - Parameters:
  ///   - bytes: The request.
  ///   - reply: Sends the reply, called at most once, on any thread.
  func didReceive(request bytes: [UInt8], reply: @escaping @Sendable ([UInt8]) -> Void)

  /// Handles a message of another node.
  ///
  /// Called in the order of the messages of a lane; must not block.
  func didReceive(message bytes: [UInt8])

  /// The connection of another node is lost: its process has probably ended. Must not block.
  func didLose(_ node: NodeID)
}

/// An error of a request between nodes.
package enum BusError: Error, Equatable, Sendable {
  /// No process receives requests for the node: the request was not delivered.
  case noSuchNode

  /// No reply arrived in time: the request may have been executed.
  case timedOut
}
