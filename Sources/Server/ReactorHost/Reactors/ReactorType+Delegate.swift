internal import ReactorCore
internal import ReactorLog

extension ReactorType {
  /// Decodes the actions of a request and passes it to the delegate, or returns `nil` without a delegate.
  ///
  /// Throws `ActionDecodingError` for actions that cannot be decoded, and otherwise the error of
  /// the delegate.
  var authorizer: Authorizer? {
    guard let delegate else { return nil }
    return { [self] asked in
      let facts = AccessFacts(parameters: asked.parameters) { [find = asked.find] in
        guard let session = find() else { throw StateNotInMemory() }
        guard case .open(let session) = session else { return nil }
        return .json(session.current.json)
      }
      for request in try requests(asked.access, limit: asked.limit) {
        let decision = Result {
          try delegate.authorize(Access(request, to: asked.session, by: asked.principal, facts))
        }
        try facts.checkState()
        try decision.get()
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
      let actions = try decode([R.Action].self, from: body)
      // Without an action, the request only reads.
      return actions.isEmpty ? [.read] : actions.map { .act($0) }
    }
  }
}
