/// Why a value was refused: what the setting takes instead, ending a sentence that begins with the
/// place of the value.
public struct SettingProblem: Error, Equatable {
  /// The reason, such as `expected a number of seconds from 0 to 3600, found -1`.
  public let reason: String

  /// Makes a problem of a reason.
  public init(reason: String) {
    self.reason = reason
  }
}
