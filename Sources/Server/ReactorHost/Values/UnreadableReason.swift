internal import ReactorCoding
internal import ReactorLog

/// The texts for the operator about stored data that this release cannot decode.
enum UnreadableReason {
  /// Returns the place and the cause of an error of decoding, as one line.
  static func text(of error: any Error) -> String {
    switch error {
    case let error as JSONDecodingFailure: "at \"\(error.pointer)\": \(error.storedDetail)"
    case let error as JSONSyntaxError: "at byte \(error.offset): \(error.reason)"
    case LogError.unreadable(let version, let reason):
      version > 0 ? "version \(version): \(reason)" : reason
    default: "\(error)"
    }
  }

  /// Returns the change with which a release reads a stored value.
  static func remedy(for part: StoredSample.Part) -> String {
    switch part {
    case .mutation: "convert it with upgradeMutation, or add a default of the new member"
    case .snapshot: "convert it with upgradeState, or add a default of the new member"
    case .parameters: "add a default of the new member"
    case .action, .timer:
      "convert it with upgradeAction, add a default of the new member, or remove it with DELETE"
    }
  }
}
