internal import ReactorLog
internal import ReactorSessions

extension SessionSendError {
  init(_ session: SessionKey, _ error: SessionError) {
    switch error {
    case .unknown, .exists, .history, .otherParameters: self = .unknownSession(session)
    case .ended: self = .ended(session)
    case .needsParameters: self = .needsParameters(session)
    case .tooMany, .overloaded: self = .overloaded(session)
    case .quarantined:
      self = .log(session, .unavailable("the session is quarantined"))
    case .reactorQuarantined:
      self = .log(session, .unavailable("the reactor is quarantined"))
    case .log(let error): self = .log(session, error)
    }
  }
}
