internal import Identity
internal import ReactorTransport
internal import Synchronization

/// The authentication by a field `Authorization`, which the requests of a persistent connection share.
///
/// Also stores the last session that it was granted a right to: most requests of a connection are for
/// one session. The grants of an authentication never change, so that neither does the decision.
final class FieldAuthentication: VerifiedCredential {
  private struct Grant: Sendable {
    let right: Right
    let reactor: WireText
    let session: WireText
  }

  let access: Authentication
  private let last = Mutex<Grant?>(nil)

  /// Creates the authentication of a field.
  init(_ access: Authentication) {
    self.access = access
  }

  /// Returns whether a right to a session is granted.
  func allows(_ right: Right, toSession session: String, of reactor: String) -> Bool {
    let isKnown = last.withLock { last in
      guard let last else { return false }
      return last.right == right && last.session == WireText(session)
        && last.reactor == WireText(reactor)
    }
    if isKnown { return true }
    guard access.allows(right, to: .session(reactor: reactor, id: session)) else { return false }
    let grant = Grant(right: right, reactor: WireText(reactor), session: WireText(session))
    last.withLock { $0 = grant }
    return true
  }
}

extension Authenticator {
  /// Authenticates a field: again only after the configuration was replaced or the credential has
  /// expired.
  ///
  /// Other connections search by a hash of the whole token, which takes as many instructions as a fifth
  /// of a request with an action.
  func authenticate(
    _ field: AuthorizationField, at now: Int64
  ) throws(Failure) -> Authentication? {
    if let known = field.credential as? FieldAuthentication, isCurrent(known.access, at: now) {
      return known.access
    }
    guard let access = try authenticate(authorization: field.value, at: now) else { return nil }
    field.credential = FieldAuthentication(access)
    return access
  }
}
