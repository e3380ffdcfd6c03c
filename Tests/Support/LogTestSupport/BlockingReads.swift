package import ReactorLog

extension SessionLog {
  package func acceptedActions() throws(LogError) -> [AcceptedAction] {
    try load().acceptedActions
  }

  package func timers() throws(LogError) -> [StoredTimer] {
    try load().timers
  }
}
