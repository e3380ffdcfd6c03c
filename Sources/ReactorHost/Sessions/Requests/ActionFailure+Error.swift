internal import ReactorCore
package import ReactorLog

extension ActionFailure {
  /// Creates the stored form of an error of `mutate`.
  init(index: Int?, _ error: any Error) {
    self.init(
      index: index,
      reason: (error as? any ActionError).map {
        Reason(status: $0.status, title: $0.title, detail: $0.detail)
      })
  }

  /// An error that produces the same problem for clients as the original one.
  package var error: any Error {
    guard let reason else { return UnexplainedFailure() }
    return RecordedError(status: reason.status, title: reason.title, detail: reason.detail)
  }
}

/// An ``ActionError`` restored from the log.
private struct RecordedError: ActionError {
  let status: Int
  let title: String
  let detail: String?
}

/// A stored failure without a description for clients.
private struct UnexplainedFailure: Error {}
