internal import ReactorLog
package import ReactorStreams
public import Shares

/// The settings of a host.
///
/// The description of a property begins with the name of its setting in the configuration, if it
/// has one.
public struct HostSettings: Sendable {
  /// The requests that create a session that does not exist.
  public enum SessionCreation: String, CaseIterable, Sendable {
    /// All requests that use a session. The first action of an id creates its session, in memory.
    case implicit

    /// Only requests whose intent is to create a session, see ``SessionIntent``.
    case explicit
  }

  /// The builds that fold each mutation a second time.
  public enum MutationCheck: String, CaseIterable, Sendable {
    /// Debug builds.
    case debug

    /// All builds.
    case always

    /// No build.
    case never

    /// Whether this build folds each mutation a second time.
    var isActive: Bool {
      #if DEBUG
        self != .never
      #else
        self == .always
      #endif
    }
  }

  /// Whether each mutation is folded a second time, by a new instance and from a State
  /// that was decoded from its JSON.
  ///
  /// A difference shows that `reduce` is not pure, see ``Impurity``. The first one of a reactor is
  /// logged, each is counted. A session that is not checked pays nothing.
  public var mutationCheck = MutationCheck.debug

  /// `sessions.create`.
  public var sessionCreation = SessionCreation.implicit

  /// `sessions.idle`: the time after which an unused session is evicted from memory.
  public var sessionIdle = Duration.seconds(600)

  /// Counts what clients hold of the tables that they share: one ledger for the whole service.
  ///
  /// A daemon replaces it by one with the bound of `limits.memory`.
  public var ledger = Ledger()

  /// The maximum number of sessions in memory.
  public var sessionLimit = 1_000_000

  /// The maximum number of requests in a session's mailbox.
  public var mailboxBound = 10_000

  /// `actions.wait`: how long a send to another session waits for the effects of its action.
  public var sendWait = Duration.seconds(5)

  /// `actions.idempotency`: how long the outcome of an idempotency key is stored.
  public var idempotency = IdempotencyKey.retention

  /// The maximum number of actions in one request.
  public var actionLimit = 1_000

  /// `limits.state`: the maximum size of a State as JSON, in bytes.
  ///
  /// A mutation that exceeds it is rejected with ``StateTooLargeError``.
  public var stateLimit = 1_048_576

  /// The maximum number of running effects, of all sessions.
  public var effectLimit = 10_000

  /// The maximum number of running effects of one session.
  public var sessionEffectLimit = 1_000

  /// Marks the action that each thread executes; `nil` disables the marks.
  public var marking: (any ActionMarking)?

  /// The maximum number of timers of one session.
  public var timerLimit = 1_000

  /// Delays the publication of presence.
  package var presenceScheduler: any SchedulerType = TaskScheduler.instance

  /// The number of starts after which an interrupted action is given up.
  ///
  /// A start counts once per process. A store in a file resets the counts when it is closed in
  /// order: only an unexpected end of the process indicates that the action may have caused it.
  public var runLimit = 10

  /// The number of threads for work that would block another one: reads from disk, folds, copies.
  ///
  /// By default two: one reads from disk while the other folds, compares or compresses.
  public var backgroundThreads = 2

  /// Starts a background thread.
  ///
  /// By default, Dispatch starts it, with the priority of the other threads.
  package var startBackgroundThread: (@Sendable (@escaping @Sendable () -> Void) -> Void)?

  /// The number of mutations between two snapshots of a session, which bounds the mutations that
  /// are folded to load it.
  ///
  /// Earlier, after 1 MiB of mutations. With `Int.max` there are no snapshots.
  public var snapshotInterval = 1000

  /// Whether the journal's actions are not started again.
  private(set) package var isPaused = false

  /// Starts no action of the journal, no effect, and no stream of a `transform`.
  package mutating func pause() {
    isPaused = true
    effectLimit = 0
  }

  /// Creates the default settings.
  public init() {}
}
