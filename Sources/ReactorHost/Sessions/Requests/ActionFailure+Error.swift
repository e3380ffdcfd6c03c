internal import ReactorCore
package import ReactorLog

extension ActionFailure {
  /// Creates the stored form of an error of `mutate`.
  init(index: Int?, _ error: any Error) {
    let kind: Kind? =
      switch error {
      case is ActionCrashedError: .crashed
      case is StateTooLargeError: .stateTooLarge
      case SessionSendError.tooDeep: .sendsTooDeep
      case let error as RecordedError: error.kind
      default: nil
      }
    self.init(
      index: index, kind: kind,
      reason: (error as? any ActionError).map {
        Reason(status: $0.status, title: $0.title, detail: $0.detail)
      })
  }

  /// An error that produces the same problem for clients as the original one.
  package var error: any Error {
    guard let reason else { return UnexplainedFailure() }
    if kind == .crashed { return ActionCrashedError() }
    return RecordedError(
      kind: kind, status: reason.status, title: reason.title, detail: reason.detail)
  }
}

/// An error of an action that was restored from the log.
package struct RecordedError: ActionError {
  /// The failure of the service; `nil` for one of the reactor.
  package let kind: ActionFailure.Kind?

  /// The HTTP status.
  package let status: Int

  /// A short sentence for people.
  package let title: String

  /// The circumstances of this failure.
  package let detail: String?
}

/// A stored failure without a description for clients.
private struct UnexplainedFailure: Error {}
