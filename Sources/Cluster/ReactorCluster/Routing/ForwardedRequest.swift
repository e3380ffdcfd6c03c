package import ReactorLog

/// Identifies a request that a node has accepted from a client, across all nodes and restarts.
///
/// The log stores the number with the mutations of the request, so that a repetition at another
/// owner is recognized. There is one counter per incarnation and not one per session: a counter per
/// session would have to be retained as long as the incarnation.
package struct RequestNumber: Hashable, Sendable, CustomStringConvertible {
  /// The node that accepted the request.
  package let edge: NodeID

  /// The count of the request at that node.
  package let count: UInt64

  /// Creates a number.
  package init(edge: NodeID, count: UInt64) {
    self.edge = edge
    self.count = count
  }

  /// The node and the count in hexadecimal: `n1.77aa.1f`.
  package var description: String {
    "\(edge).\(String(count, radix: 16))"
  }
}

/// A request for a session, which its edge sends to the session's owner.
package struct ForwardedRequest: Equatable, Sendable {
  /// Whether the request can be executed more than once.
  package enum Kind: UInt8, Sendable {
    /// Executed once: its number is committed with its mutations.
    case action

    /// Reads, or changes nothing when it is repeated.
    case call
  }

  /// The number of the request.
  package var number: RequestNumber

  /// The session that the request is for.
  package var session: SessionKey

  /// Whether the request can be executed more than once.
  package var kind: Kind

  /// Whether an earlier delivery may have been executed.
  package var isRepeated = false

  /// The request in the host's encoding.
  package var payload: [UInt8]

  /// Creates a request.
  package init(
    number: RequestNumber, session: SessionKey, kind: Kind, isRepeated: Bool = false,
    payload: [UInt8]
  ) {
    self.number = number
    self.session = session
    self.kind = kind
    self.isRepeated = isRepeated
    self.payload = payload
  }
}

/// The outcome of a request for the edge's client.
package enum RequestResult: Equatable, Sendable {
  /// The owner's response.
  case response([UInt8], from: NodeID)

  /// The request was not executed, and will not be.
  case unavailable

  /// The request may have been executed.
  case unknown
}

/// A request between nodes.
package enum NodeRequest: Equatable, Sendable {
  /// Execute a request.
  case forward(ForwardedRequest)

  /// Release a session, if it is idle at the receiver.
  case release(SessionKey)

  /// Reply, to show that the node is running.
  case probe

  /// Name the requests among these that the receiver does not execute.
  case locate([RequestNumber])

  /// List the sessions in memory.
  case list(reactor: String, after: String?, limit: Int)

  /// Read a global again that the sender has set.
  case applyGlobal(String)

  /// Describe the process.
  case describe
}

/// The reply to a request between nodes.
package enum NodeReply: Equatable, Sendable {
  /// The response to a forwarded request.
  case response([UInt8])

  /// The request was not executed: another node owns the session.
  case ownedBy(NodeID)

  /// The request was not executed.
  case unavailable

  /// The request was not executed: the release of the node cannot read the session. The response is the
  /// client's if no other node can.
  case unreadable([UInt8])

  /// The request may have been executed.
  case unknown

  /// An earlier delivery of the request is being executed; the sender repeats the request after a
  /// pause.
  case running

  /// The session is not in the memory of the replying node.
  case released

  /// The node is running.
  case alive

  /// The queried requests that the node does not execute, and that do not wait at it.
  case absent([RequestNumber])

  /// The sessions in memory.
  case sessions([SessionSummary])

  /// The node has the value of the global.
  case applied

  /// The description of the process.
  case description(NodeDescription)
}
