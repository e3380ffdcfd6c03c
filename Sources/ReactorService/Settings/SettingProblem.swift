/// Why a value was refused: what the setting takes instead, ending a sentence that begins with the
/// place of the value.
struct SettingProblem: Error, Equatable {
  /// The reason, such as `expected a number of seconds from 0 to 3600, found -1`.
  let reason: String
}
