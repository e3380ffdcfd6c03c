internal import Identity
internal import ReactorCore
internal import ReactorHost
internal import ReactorTransport
internal import Shares

extension RequestScope {
  /// The owner of quotas: the principal of the client, or its address, or `nil` if neither is known.
  var accountable: Client? {
    if let principal = context.principal { return .principal(principal.id) }
    return client.map { ClientAddress.client(of: $0) }
  }

  /// The client that sessions are counted for, or `nil` without a limit, and for administrators.
  private var creator: (limiter: ClientLimiter, client: Client)? {
    guard let limiter = api.creationLimiter, !context.isExempt else { return nil }
    return accountable.map { (limiter, $0) }
  }

  /// The problem of a client that has created too many sessions, or `nil` if it may create one.
  var creationProblem: Problem? {
    guard let (limiter, client) = creator, let wait = limiter.wait(of: client) else { return nil }
    return Self.creationProblem(wait)
  }

  private static func creationProblem(_ wait: Int64) -> Problem {
    Problem(
      .rateLimited,
      """
      You have created as many sessions as this service allows per hour (limits.sessions). Use an \
      existing one, or try again later.
      """, headers: ["Retry-After": "\(wait)"])
  }

  /// Counts a session that the request is about to create, so that concurrent requests exceed no quota.
  ///
  /// - Throws: The problem of a client that has created too many sessions.
  func takeCreation() throws(Problem) {
    guard let (limiter, client) = creator, !limiter.take(client) else { return }
    throw Self.creationProblem(limiter.wait(of: client) ?? 1)
  }

  /// Does not count the session: the request has created none.
  func giveBackCreation() {
    guard let (limiter, client) = creator else { return }
    limiter.giveBack(client)
  }

  /// Counts a session that is not stored, before an action that may store it.
  ///
  /// - Returns: The place of the session in the quota, or `nil` if nothing is counted.
  /// - Throws: The problem of a client that has created too many sessions.
  func placeOfCreation(
    of session: any Session, in host: Host
  ) throws(Problem) -> CreationPlaces.Place? {
    guard let (limiter, client) = creator, !session.isStored else { return nil }
    guard let place = host.creations.place(of: session, for: client, limiter) else {
      throw Self.creationProblem(limiter.wait(of: client) ?? 1)
    }
    return place
  }
}
