/// The policy for accepted actions that the end of the process interrupts.
public enum InterruptionPolicy: Sendable {
  /// The action is started again, so it is executed at least once.
  ///
  /// Mutations that it committed before the interruption remain part of the State.
  case runAgain

  /// The action is abandoned: the host logs a line, and a request with its idempotency key gets a
  /// failure.
  ///
  /// For actions that must not be executed twice.
  case giveUp
}
