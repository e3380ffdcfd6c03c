/// What becomes of an accepted action that the end of the process has cut off.
public enum InterruptionPolicy: Sendable {
  /// It is run again when the host is back, from its beginning: at least once in all.
  ///
  /// Mutations that it has committed before stay, and the State tells it of them.
  case runAgain

  /// It is given up: a line in the host's log says so, and whoever asks with its idempotency key is
  /// told that it failed.
  ///
  /// For actions that must not happen twice.
  case giveUp
}
