internal import Identity
internal import ReactorTransport
internal import Synchronization

/// The authentication by a field `Authorization`, which the requests of a persistent connection share.
///
/// Also stores the last path of a session for which it was granted a right: most requests of a connection
/// have one path. The grants of an authentication never change, so that neither does the decision.
final class FieldAuthentication: VerifiedCredential {
  private struct Grant: Sendable {
    let right: Right
    let path: WireText
  }

  /// The longest path that is stored, in bytes.
  private static let pathLimit = 512

  let access: Authentication
  private let last = Mutex<Grant?>(nil)

  /// Creates the authentication of a field.
  init(_ access: Authentication) {
    self.access = access
  }

  /// Returns whether a right to the session of a path was the last one that was granted.
  func recallsGrant(of right: Right, at path: WireText) -> Bool {
    last.withLock { last in
      guard let last else { return false }
      return last.right == right && last.path == path
    }
  }

  /// Stores that a right to the session of a path is granted.
  func recordGrant(of right: Right, at path: WireText) {
    guard path.utf8.count <= Self.pathLimit else { return }
    let grant = Grant(right: right, path: path)
    last.withLock { $0 = grant }
  }
}

extension Authenticator {
  /// Authenticates a field: again only after the configuration was replaced or the credential has
  /// expired; `nil` if the field is no bearer token.
  ///
  /// Other connections search by a hash of the whole token, which takes as many instructions as a fifth
  /// of a request with an action.
  func authenticate(
    _ field: AuthorizationField, at now: Int64
  ) throws(Failure) -> FieldAuthentication? {
    if let known = field.credential as? FieldAuthentication, isCurrent(known.access, at: now) {
      return known
    }
    guard let access = try authenticate(authorization: field.value, at: now) else { return nil }
    let authentication = FieldAuthentication(access)
    field.credential = authentication
    return authentication
  }
}
