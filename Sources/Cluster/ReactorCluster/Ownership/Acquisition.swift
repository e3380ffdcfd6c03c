/// Identifies a request of another node that this node replies to.
package typealias ReplyToken = UInt64

/// A request that has arrived at a node, and the target of its reply.
struct Arrival: Sendable {
  /// The target of a reply.
  enum Source: Equatable, Sendable {
    /// A client of this node, by the count of its request.
    case edge(UInt64)

    /// Another node.
    case node(ReplyToken)
  }

  let request: ForwardedRequest
  let source: Source
  /// The number of executions of the request that another writer has displaced.
  let attempts: Int

  init(_ request: ForwardedRequest, from source: Source, attempts: Int = 0) {
    self.request = request
    self.source = source
    self.attempts = attempts
  }
}

/// A session that this node is about to own: the requests that wait for it.
///
/// ```
/// first request ──▶ last writer is read ──▶ it is another living node: release requested ──▶ granted
///                            │                           ├─▶ in use there: requests are redirected
///                            │                           └─▶ no reply: repeated, then rejected
///                            └─▶ this node, a failed one, or none: granted
/// ```
struct Acquisition: Sendable {
  /// The maximum number of requests that wait for one session.
  ///
  /// Further ones are rejected.
  static let limit = 1_000

  var waiting: [Arrival] = []
  /// The number of requests for the release that got no reply.
  var attempts = 0
}
