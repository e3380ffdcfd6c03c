internal import ReactorCore

/// The part of a session that knows the reactor's types: everything else deals in JSON.
///
/// Generic code that crosses modules pays for its types at run time, again and again; kept to this
/// small part, a request pays once.
protocol SessionEngine: AnyObject, Sendable {
  /// Connects the reactor; what it does is told to the session from now on. Called once.
  func connect(to session: LiveSession)

  /// Decodes an action, or an array of actions.
  func prepare(_ body: [UInt8]) throws(ActionDecodingError) -> PreparedActions

  /// Decodes actions of the journal.
  func prepare(_ accepted: [AcceptedAction]) throws -> PreparedActions

  /// Runs actions for a request, one after the other, and tells it which go on.
  ///
  /// Call it in the session's serial context.
  func run(_ actions: PreparedActions, for request: ActionRequest)

  /// Whether the calling thread is in the session's serial context.
  var isCurrent: Bool { get }

  /// Runs work in the session's serial context.
  ///
  /// - Returns: Whether it was taken: it is not where more than `bound` items wait already.
  @discardableResult
  func perform(bound: Int, _ work: @escaping @Sendable () -> Void) -> Bool

  /// Runs work in the session's serial context, unless something runs there.
  ///
  /// The session is not told when that turn ends.
  ///
  /// - Returns: Whether it was run.
  func performIfFree(_ work: () -> Void) -> Bool

  /// Attributes what is folded in by a body to an origin, from within the serial context.
  func attribute(_ origin: MutationOrigin, _ body: () -> Void)

  /// The fold of all mutations so far, as JSON, from within the serial context; `nil` elsewhere.
  func folded() -> [UInt8]?

  /// How many effects run, and how much work waits for the session's turn.
  var load: (effects: Int, waiting: Int) { get }

  /// The effects that run now.
  var activity: SessionActivity { get }

  /// The effects that run, the earliest first, from within the serial context.
  func effects(after id: EffectID?, limit: Int) -> [RunningEffect]

  /// Ends an effect as if it had completed, from within the serial context.
  func cancelEffect(_ id: EffectID)

  /// Whether no effect runs and nothing waits.
  var isIdle: Bool { get }

  /// Ends the reactor and its effects.
  func shutDown()

  /// The state as it was at a version, as JSON; `nil` where the log does not reach it.
  func state(at version: Int, in log: any SessionLog) throws -> [UInt8]?

  /// Folds the log from a version on; `nil` where the log does not reach it.
  func replay(after version: Int, in log: any SessionLog) throws -> (any StateFolding)?
}

/// Actions that were decoded, and can be run.
@usableFromInline
struct PreparedActions: Sendable {
  /// How they are run.
  @usableFromInline
  enum Content: Sendable {
    /// One of the blueprint's plain actions, by its place.
    case plain(Int)
    /// Whatever else was decoded.
    case decoded(@Sendable (ActionRequest) -> Void)
  }

  let count: Int
  let isArray: Bool
  @usableFromInline let content: Content

  @usableFromInline
  init(count: Int, isArray: Bool, run: @escaping @Sendable (ActionRequest) -> Void) {
    self.count = count
    self.isArray = isArray
    content = .decoded(run)
  }

  /// One of the blueprint's plain actions, by its place.
  @usableFromInline
  init(plain place: Int) {
    count = 1
    isArray = false
    content = .plain(place)
  }

  /// Whether a body, if it is JSON at all, is an array.
  @usableFromInline
  static func areArray(_ body: [UInt8]) -> Bool {
    for byte in body where byte != 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D {
      return byte == UInt8(ascii: "[")
    }
    return false
  }
}

/// Folds log entries one by one.
protocol StateFolding: AnyObject, Sendable {
  /// What the fold looks like to clients, as JSON.
  func state() throws -> [UInt8]

  /// Folds one entry in.
  func fold(_ entry: LogEntry) throws
}
