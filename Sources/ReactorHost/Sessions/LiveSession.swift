internal import Synchronization

/// A session in memory: its reactor, and what is on its way to the log and to the clients.
///
/// The reactor's pipeline folds mutations as they come and hands each to this object, which appends
/// them to the log in batches, one batch at a time. Only when a batch is in the log are its states
/// told to anyone: first it is committed, then the observers hear of it, then the requests that
/// caused it are answered.
final class LiveSession: Session, BatchSource {
  /// What is on its way.
  ///
  /// The lock is held for looking things up and putting them down only.
  struct Book: Sendable {
    var reduced: Int
    var committed: Int
    var latest: CommittedState?
    var lastActiveAt: Timestamp
    /// Mutations that were folded in and not given to the log yet, and the states that they made.
    var pendingEntries: [LogEntry] = []
    var pendingStates = Few<[UInt8]>()
    /// The states of the batch that is on its way to the log, when the last of them was made, and
    /// since when it is on its way.
    var statesOnTheirWay = Few<[UInt8]>()
    var lastChange: Timestamp?
    var appending = Stopwatch()
    /// Whether the log is about to take what is pending, or a batch is on its way to it.
    var isAppending = false
    /// Whether the session is in the midst of something: what belongs together goes to the log in one
    /// batch, so none is taken before its turn ends.
    var isInTurn = false
    /// Whether the log is being told that the session ends: what is appended after that is refused.
    var isEnding = false
    /// How many batches were given to the log, and how many of them are committed.
    var batches = 0
    var committedBatches = 0
    var notes = BatchNotes()
    var awaiting: [(batch: Int, proceed: Continuation)] = []
    /// The keys of requests that run, by their names.
    var keys: [String: IdempotencyKey] = [:]
    /// How many requests with a key are done.
    var settledKeys = 0
    /// The number of the last request in the journal.
    var lastRequest = 0
    /// Requests of which nothing runs any more, and what each waits for.
    var settled = Few<SettledRequest>()
    var observers: [any SessionObserver] = []
    var subscribers = 0
    var activityObservers: [any ActivityObserver] = []
    @Seldom var toldActivity: SessionActivity? = nil
    var globals: [String: UInt64]
    var isStored: Bool
    var lastSnapshot: Int
    /// A snapshot of what is not committed yet.
    @Seldom var snapshot: Snapshot? = nil
    @Seldom var fault: LogError? = nil
    var end: SessionEnd?
  }

  private typealias Closing = (
    observers: [any SessionObserver], requests: Few<SettledRequest>, awaiting: [Book.Continuation]
  )

  let key: SessionKey
  let epoch: String
  private let schema: String
  let log: any SessionLog
  let engine: any SessionEngine
  let environment: HostEnvironment
  let book: Mutex<Book>
  /// Whether somebody wants to know which effects run.
  let activityIsWatched = Atomic<Bool>(false)
  private let interrupted = Atomic<Bool>(false)
  private let ended = Atomic<Bool>(false)

  /// Makes a session at the end of its log and connects its reactor.
  ///
  /// - Parameters:
  ///   - key: Its address.
  ///   - schema: The fingerprint of its reactor's State and Mutation.
  ///   - stored: What the log knows of it, or would.
  ///   - isStored: Whether the log knows it.
  ///   - snapshot: The version of the latest snapshot; 0 for none.
  ///   - engine: The reactor, folded up to the same version.
  ///   - log: Where its mutations go.
  ///   - environment: What it shares with all sessions of the host.
  init(
    _ key: SessionKey, schema: String, stored: StoredSession, isStored: Bool, snapshot: Int,
    engine: any SessionEngine, log: any SessionLog, environment: HostEnvironment
  ) {
    self.key = key
    self.schema = schema
    epoch = stored.epoch
    self.log = log
    self.engine = engine
    self.environment = environment
    book = Mutex(
      Book(
        reduced: stored.version, committed: stored.version, latest: nil,
        lastActiveAt: stored.lastActiveAt, globals: stored.globals, isStored: isStored,
        lastSnapshot: snapshot))
    engine.connect(to: self)
  }

  var current: CommittedState {
    // Set when the pipeline connected, before anyone could have this object.
    book.withLock { $0.latest }
      ?? CommittedState(cursor: Cursor(epoch: epoch, version: 0), json: Array("null".utf8))
  }

  var lastActiveAt: Timestamp {
    book.withLock { $0.lastActiveAt }
  }

  var subscriberCount: Int {
    book.withLock { $0.subscribers }
  }

  /// Adds what the session does now.
  func add(to load: inout SessionLoad) {
    load.sessions += 1
    load.subscribers += subscriberCount
    let (effects, waiting) = engine.load
    load.effects += effects
    load.waiting += waiting
  }

  func changeSubscriberCount(by change: Int) {
    book.withLock { $0.subscribers += change }
  }

  func observe(_ observer: any SessionObserver) -> CommittedState? {
    book.withLock { book in
      guard book.end == nil else { return nil }
      book.observers.append(observer)
      return book.latest
    }
  }

  func stopObserving(_ observer: any SessionObserver) {
    book.withLock { book in
      if let index = book.observers.firstIndex(where: { $0 === observer }) {
        book.observers.remove(at: index)
      }
    }
  }

  /// Whether the log knows the session.
  ///
  /// One without mutations that nobody asked to be made is in memory only.
  var isStored: Bool {
    book.withLock { $0.isStored }
  }

  /// The log knows the session from now on.
  func wasStored() {
    book.withLock { $0.isStored = true }
  }

  /// Whether the log refused the session, which is of no use from then on.
  var isInterrupted: Bool {
    interrupted.load(ordering: .acquiring)
  }

  /// Whether nothing is committed any more.
  var hasEnded: Bool {
    ended.load(ordering: .acquiring)
  }

  /// Why the session ended, where it was not deleted.
  var fault: LogError? {
    book.withLock { $0.fault }
  }

  /// Ends the session in memory unless something would be missed.
  ///
  /// Whoever calls knows that nobody else holds it, and calls ``leave()`` next. A value that sessions
  /// share may arrive even now; it is not committed any more, and delivered again when the session
  /// is back.
  ///
  /// - Returns: Whether it may leave.
  func retire() -> Bool {
    guard engine.isIdle else { return false }
    return book.withLock { book in
      guard book.pendingEntries.isEmpty, book.notes.isEmpty, !book.isAppending,
        book.observers.isEmpty,
        book.settled.isEmpty, book.awaiting.isEmpty
      else { return false }
      book.end = book.end ?? .interrupted
      ended.store(true, ordering: .releasing)
      return true
    }
  }

  /// Gives nothing more to the log, which is told next that the session ends.
  func willEnd() {
    book.withLock { $0.isEnding = true }
  }

  /// Goes on: the log could not be told that the session ends.
  func didNotEnd() {
    book.withLock { $0.isEnding = false }
    appendPending()
  }

  /// Ends what runs; nothing is committed from now on.
  ///
  /// Streams are told, requests that wait are answered, effects are cancelled.
  func close(_ end: SessionEnd, fault: LogError? = nil) {
    let closing = book.withLock { book -> Closing? in
      guard book.end == nil else { return nil }
      book.end = end
      ended.store(true, ordering: .releasing)
      book.fault = fault
      (book.pendingEntries, book.pendingStates) = ([], Few())
      book.notes = BatchNotes()
      defer { (book.observers, book.awaiting) = ([], []) }
      return (book.observers, book.settled.takeAll(), book.awaiting.map { $0.proceed })
    }
    guard let (observers, requests, awaiting) = closing else { return }
    // First, so that whoever is told below and comes back at once gets a session that works.
    if end == .interrupted {
      interrupted.store(true, ordering: .releasing)
      environment.interruptions.arise()
    }
    for observer in observers { observer.sessionDidEnd(end) }
    requests.forEach { answerEnded($0.request) }
    for proceed in awaiting { proceed(false) }
    engine.shutDown()
  }

  /// Ends what was in memory, where nothing runs and nobody watches.
  ///
  /// The log has everything.
  func leave() {
    engine.shutDown()
  }

  /// Answers a request that the session's end has overtaken.
  func answerEnded(_ request: ActionRequest) {
    let fault = book.withLock { $0.fault }
    request.answer(instead: fault.map { .notCommitted($0) } ?? .ended)
  }

  /// Takes a snapshot, so that the session is loaded at once when it is used again.
  ///
  /// It is taken in the session's turn, of all that was folded by then, and saved when that is
  /// committed: a session that is never at rest gets its snapshots too.
  func takeSnapshot() {
    engine.perform(bound: .max) { [self] in
      let version = book.withLock { book -> Int? in
        let isDue = book.reduced - book.lastSnapshot >= environment.settings.snapshotInterval
        guard book.end == nil, isDue else { return nil }
        book.lastSnapshot = book.reduced
        return book.reduced
      }
      guard let version, let state = engine.folded() else { return }
      let snapshot = Snapshot(version: version, state: state, schema: schema)
      let isCommitted = book.withLock { book in
        guard book.committed < version else { return true }
        book.snapshot = snapshot
        return false
      }
      if isCommitted { log.save(snapshot, of: epoch) }
    }
  }
}
