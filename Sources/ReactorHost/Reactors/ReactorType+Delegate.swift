internal import ReactorCore
internal import ReactorLog

extension ReactorType {
  /// Asks the delegate about a request, with its actions decoded; `nil` without a delegate.
  ///
  /// Throws `ActionDecodingError` for actions that cannot be decoded, else the delegate's error.
  var authorizer: Authorizer? {
    guard let delegate else { return nil }
    return { [self] access, session, principal, limit in
      for request in try requests(access, limit: limit) {
        try delegate.authorize(Access(request, to: session, by: principal))
      }
    }
  }

  private func requests(
    _ access: SessionAccess, limit: Int
  ) throws(ActionDecodingError) -> [Access<R.Action>.Request] {
    switch access {
    case .read: return [.read]
    case .signal: return [.signal]
    case .create: return [.create]
    case .fork(let source): return [.fork(from: source)]
    case .end: return [.end]
    case .manage: return [.manage]
    case .act(let body):
      guard DecodedActions.isArray(body) else {
        return [.act(try decode(R.Action.self, from: body))]
      }
      try DecodedActions.checkCount(of: body, limit: limit)
      return try decode([R.Action].self, from: body).map { .act($0) }
    }
  }
}
