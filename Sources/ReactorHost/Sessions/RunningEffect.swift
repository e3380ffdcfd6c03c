/// An effect that runs: one stream that `mutate` returned for an action.
public struct RunningEffect: Sendable {
  /// Names the effect, and never another one later.
  public let id: String

  /// The action that started it, as JSON; `nil` where `transform(action:)` made one of its own.
  public let action: [UInt8]?

  /// When it was started.
  public let startedAt: Timestamp

  /// How far it has come, from 0 to 1; `nil` where it does not tell.
  public let progress: Double?
}

/// What became of the wish to end an effect.
public enum EffectCancellation: Sendable {
  /// It does not run, and is not run again.
  case ended

  /// Too many requests wait in the session's mailbox. Nothing was ended.
  case overloaded

  /// It does not run, and the log refused to write that down.
  case notCommitted(LogError)
}
