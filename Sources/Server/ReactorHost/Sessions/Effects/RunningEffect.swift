internal import ReactorLog

/// A running effect: one stream that `mutate` returned for an action.
public struct RunningEffect: Sendable {
  /// The identifier of the effect.
  ///
  /// Those of running effects are not reused.
  public let id: String

  /// The action that started it, as JSON, or `nil` for an action that `transform(action:)` created.
  public let action: [UInt8]?

  /// The time of its start.
  public let startedAt: Timestamp

  /// Its progress, from 0 to 1, or `nil` if it does not report it.
  public let progress: Double?

  /// Whether it does not run, because this release cannot decode its action.
  public let isUnreadable: Bool

  package init(
    id: String, action: [UInt8]?, startedAt: Timestamp, progress: Double?,
    isUnreadable: Bool = false
  ) {
    self.id = id
    self.action = action
    self.startedAt = startedAt
    self.progress = progress
    self.isUnreadable = isUnreadable
  }
}
