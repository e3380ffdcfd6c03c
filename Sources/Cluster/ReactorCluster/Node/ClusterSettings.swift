/// The settings of a node in a cluster, in milliseconds.
package struct ClusterSettings: Sendable {
  /// The interval of heartbeats, a constant of the service.
  package var heartbeat: Milliseconds = 500

  /// `cluster.suspect`: the time without a heartbeat after which a node counts as failed.
  package var suspect: Milliseconds = 2_000

  /// The time for which a node waits for the replies of the others to its first heartbeat, before it
  /// owns sessions.
  package var joining: Milliseconds = 200

  /// The time without a reply or heartbeat after which a node that has a pending request is probed:
  /// the bus does not deliver a message to a killed process.
  package var silence: Milliseconds = 50

  /// The time after which the edge queries the owner about a request without a reply, so that a
  /// killed process is detected without waiting for its heartbeats, and a lost message is sent
  /// again.
  package var probe: Milliseconds = 150

  /// The time after which a node that the bus does not reach counts as failed: a connection that was lost is
  /// replaced within less, which is 10 ms and three round trips.
  package var confirmation: Milliseconds = 60

  /// The time without a reply after which the release of a session is requested again.
  package var release: Milliseconds = 500

  /// The time without a reply after which a request is repeated at the same owner.
  package var repetition: Milliseconds = 2_500

  /// The pause before a request is sent again because another delivery of it is being executed, or
  /// because its session had no owner.
  package var pause: Milliseconds = 50

  /// The time after which a request without a response ends.
  ///
  /// A session whose release gets no reply for this time is not taken over: the requests that wait
  /// for it are rejected.
  package var requestLimit: Milliseconds = 30_000

  /// The time for which a draining node retains the sessions that are in use, so that their effects
  /// can end; idle sessions are handed over immediately.
  package var handOver: Milliseconds = 0

  /// The maximum time that a list of sessions waits for the other nodes.
  package var listLimit: Milliseconds = 500

  /// The maximum time that a change of a global waits for the other nodes.
  package var globalLimit: Milliseconds = 500

  /// The interval at which a node reads the globals again.
  package var refresh: Milliseconds = 5_000

  /// The maximum number of nodes that a request visits because each one names another owner.
  package var hops = 3

  /// The maximum number of owners that fail while they execute a request, before its outcome is
  /// reported as unknown.
  ///
  /// With a higher limit, an action that crashes the process could crash all nodes, one after the
  /// other.
  package var failedOwners = 2

  /// The maximum number of requests without a response.
  ///
  /// Further ones are rejected.
  package var pending = 10_000

  /// Creates the default settings.
  package init() {}
}
