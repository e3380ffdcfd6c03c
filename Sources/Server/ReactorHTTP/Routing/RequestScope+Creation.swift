internal import Identity
internal import ReactorCore
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
    return Problem(
      .rateLimited,
      """
      You have created as many sessions as this service allows per hour (limits.sessions). Use an \
      existing one, or try again later.
      """, headers: ["Retry-After": "\(wait)"])
  }

  /// Counts a session that the request has created.
  func countCreation() {
    guard let (limiter, client) = creator else { return }
    limiter.count(client)
  }
}
