internal import Identity

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

  /// The verified authentication, or `nil` if none is needed or the credential is rejected.
  var authentication: Authentication? {
    switch self {
    case .notNeeded, .invalid: nil
    case .valid(let authentication, _): authentication
    case .field(let field): field.access
    }
  }
}
