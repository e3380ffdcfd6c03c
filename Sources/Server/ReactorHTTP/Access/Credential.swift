internal import Identity
internal import ReactorCore
internal import Shares

/// The credential of one request, verified.
enum Credential: Sendable {
  /// Everything is permitted: no setting of `auth` is used, or the endpoint is public.
  case notNeeded

  /// The request has a valid credential outside the field `Authorization`, or none and is
  /// anonymous.
  case valid(Authentication, isCookie: Bool)

  /// The request has a valid credential in its field `Authorization`.
  case field(FieldAuthentication)

  /// The request has a credential that is rejected.
  case invalid(Authenticator.Failure)

  /// The request has a credential whose verification waits for another server.
  case pending(PendingDecision)

  /// Returns the account of the principal, or `nil` if there is none.
  func account(in ledger: Ledger) -> Account? {
    switch self {
    case .notNeeded, .invalid, .pending: nil
    case .field(let field): field.account
    case .valid(let authentication, _): ledger.account(of: authentication)
    }
  }

  /// The verified authentication, or `nil` if none is needed or the credential is rejected.
  var authentication: Authentication? {
    switch self {
    case .notNeeded, .invalid, .pending: nil
    case .valid(let authentication, _): authentication
    case .field(let field): field.access
    }
  }
}

extension Ledger {
  /// Returns the account of the principal of an authentication, or `nil` if it has none.
  func account(of authentication: Authentication) -> Account? {
    authentication.principal.map { account(of: .principal($0.id)) }
  }
}
