internal import Identity
internal import ReactorTransport
internal import Shares
internal import Synchronization

/// The authentication by a field `Authorization`, which the requests of a persistent connection share.
///
/// Also stores the path of the session to which a right was granted last: most requests of a
/// connection have the same path. The grants of an authentication never change, so the decision
/// remains valid.
final class FieldAuthentication: VerifiedCredential {
  private struct Grant: Sendable {
    let right: Right
    let path: WireText
  }

  /// The longest path that is stored, in bytes.
  private static let pathLimit = 512

  let access: Authentication
  /// The account of the principal, or `nil` without one.
  let account: Account?
  private let last = Mutex<Grant?>(nil)

  /// Creates the authentication of a field.
  init(_ access: Authentication, _ account: Account?) {
    self.access = access
    self.account = account
  }

  /// Returns whether the right that was granted last is this right to the session of this path.
  func recallsGrant(of right: Right, at path: WireText) -> Bool {
    last.withLock { last in
      guard let last else { return false }
      return last.right == right && last.path == path
    }
  }

  /// Stores a right to the session of a path as the one that was granted last.
  func recordGrant(of right: Right, at path: WireText) {
    guard path.utf8.count <= Self.pathLimit else { return }
    let grant = Grant(right: right, path: path)
    last.withLock { $0 = grant }
  }
}

extension Authenticator {
  /// Authenticates a field, and verifies it again only after the configuration was replaced or the
  /// credential has expired; returns `nil` if the field is not a bearer token.
  ///
  /// For a field without a current authentication, the token is looked up by a hash of all its
  /// bytes. That takes as many instructions as a fifth of a request with an action.
  func authenticate(
    _ field: AuthorizationField, at now: Int64, in ledger: Ledger, for account: Account?,
    ifPermitted: () -> Bool
  ) throws(Failure) -> FieldAuthentication? {
    if let known = field.credential as? FieldAuthentication, isCurrent(known.access, at: now) {
      return known
    }
    guard
      let access = try authenticate(
        authorization: field.value, at: now, for: account, ifPermitted: ifPermitted)
    else { return nil }
    let authentication = FieldAuthentication(access, ledger.account(of: access))
    field.credential = authentication
    return authentication
  }
}
