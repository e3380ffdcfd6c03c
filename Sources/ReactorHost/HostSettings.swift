/// What a host may be told to do differently.
///
/// Each has the name of its setting in the configuration.
public struct HostSettings: Sendable {
  /// Which requests make a session that is not there.
  public enum SessionCreation: String, CaseIterable, Sendable {
    /// Any: the first action, reading or subscription makes it in memory.
    case implicit

    /// Only those that ask for it.
    case explicit
  }

  /// `sessions.create`.
  public var sessionCreation = SessionCreation.implicit

  /// `sessions.idle`: a session that nobody used for so long leaves memory.
  public var sessionIdle = Duration.seconds(600)

  /// `sessions.limit`: so many sessions are in memory at most.
  public var sessionLimit = 1_000_000

  /// `actions.queue`: so many requests may wait in a session's mailbox.
  public var mailboxBound = 10_000

  /// `actions.idempotency`: the answer that an idempotency key stands for is kept so long.
  public var idempotency = Duration.seconds(86_400)

  /// An accepted action that was started so often, and each time cut off by the end of the process, is
  /// given up.
  ///
  /// A process that ends in order is not counted.
  public var runLimit = 10

  /// A snapshot is saved whenever so many mutations were committed since the last one.
  ///
  /// Loading a session folds at most as many.
  public var snapshotInterval = 1000

  /// Makes the settings with their defaults.
  public init() {}
}
