package import ReactorLog

/// Identifies a request to another node that waits for its reply.
package typealias CallID = UInt64

/// Identifies the execution of a request by the host of this node.
package typealias ExecutionID = UInt64

/// Identifies a request of this node's own clients.
package typealias RequestToken = UInt64

/// Identifies a change of a global by this node.
package typealias ChangeToken = UInt64

/// An instruction of ``ClusterMachine``.
///
/// `ClusterNode` executes the instructions in order.
package enum ClusterEffect: Equatable, Sendable {
  /// Broadcasts the heartbeat.
  case broadcast(Heartbeat)

  /// Sends a heartbeat to one node, which may not receive broadcasts yet.
  case greet(NodeID, Heartbeat)

  /// Informs a node that the others have marked its incarnation as failed.
  case expel(NodeID)

  /// Informs the other nodes that the bus does not reach a node, so that each of them probes it
  /// immediately.
  case reportUnreachable(NodeID)

  /// Sends a request, and passes the reply to ``ClusterMachine/received(_:of:at:)``.
  case request(CallID, NodeID, NodeRequest, timeout: Milliseconds)

  /// Replies to a request of another node.
  case reply(ReplyToken, NodeReply)

  /// Reads the last writer of a session from the log, and passes it to
  /// ``ClusterMachine/foundLastWriter(_:of:at:)``.
  case findLastWriter(SessionKey)

  /// Executes a request, and passes the result to ``ClusterMachine/executed(_:_:at:)``. The host
  /// loads the session if it is not in memory.
  case execute(ExecutionID, ForwardedRequest)

  /// Evicts a session from memory, so that the edge of a request becomes its owner, and reports
  /// `ExecutionResult.displaced(by:)`. If the session is in use, it stays, and the request is
  /// executed as with ``execute(_:_:)``.
  case handOver(ExecutionID, ForwardedRequest)

  /// Evicts a session from memory, and replies with `NodeReply.released`, or with
  /// `NodeReply.ownedBy(_:)` if the session is in use. A forced release also evicts a session in
  /// use, once the batch that the log has is committed, and reports its other requests as
  /// `ExecutionResult.displaced(by:)`. Without a token there is no reply.
  case release(SessionKey, to: NodeID, forced: Bool, ReplyToken?)

  /// Broadcasts that this node has become the owner of a session, so that other nodes drop a stale
  /// copy.
  case claim(SessionKey)

  /// Responds to a client of this node.
  case respond(RequestToken, RequestResult)

  /// The other nodes have applied a global, or the time limit has expired.
  ///
  /// `unconfirmed` is the number of living nodes without a confirmation.
  case applied(ChangeToken, unconfirmed: Int)

  /// Reads all globals again: a request to apply one may not have arrived.
  case refreshGlobals

  /// A node has failed or left: this node's subscriptions at it must be opened again at other
  /// nodes.
  case nodeFailed(NodeID)

  /// The set of ready nodes has changed.
  case placementChanged

  /// This incarnation was marked as failed. All sessions are closed as in a forced release, and
  /// then ``ClusterMachine/rejoin(as:at:)`` is called.
  case rejoin
}

/// The outcome of an execution.
package enum ExecutionResult: Equatable, Sendable {
  /// The response. Mutations of the request are committed.
  case response([UInt8])

  /// Nothing is committed: the log has a batch of another writer, or the session has left memory.
  case displaced(by: NodeID?)

  /// Nothing is committed: the host cannot execute the request at present.
  case unavailable

  /// Nothing is committed: the release of this node cannot read the session.
  case unreadable([UInt8])

  /// The log did not confirm the commit.
  case unknown

  /// Nothing was executed: according to the log, an earlier delivery of the request is being
  /// executed.
  case running
}
