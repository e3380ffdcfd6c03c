/// The reason a value is rejected, without the place where it was found.
struct SettingProblem: Error, Equatable {
  /// The reason, such as `expected a number of seconds from 0 to 3600, found -1`.
  let reason: String
}
