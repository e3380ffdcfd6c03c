internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// Writes the requests of many threads in groups: those that arrive while earlier groups are under way form the
/// next group.
///
/// The thread `log-writer` sends groups and receives their results, see ``WriterLoop``. The thread
/// `log-completion` calls the completions, in the same order. A thread `log-connect` exists while the writer
/// has no connection.
final class GroupWriter: Sendable {
  enum Arrival: Sendable {
    case write(PendingWrite)
    case source(any BatchSource)
  }

  /// The end of an attempt to connect.
  enum Attempt: Sendable {
    case connected(PostgresConnection, Registration)
    case failed(PostgresError)
  }

  struct CompletedGroup: Sendable {
    let writes: [PendingWrite]
    let results: [Result<Void, LogError>]
    var latestChange: Int?
  }

  let context: WriterContext
  let address: PostgresAddress
  let schema: String
  let name: String
  let health: DatabaseHealth
  let arrivals: Inbox<Arrival>
  let attempts: Inbox<Attempt>
  let waker: Waker
  /// How long a request waits for the database.
  let wait: Duration
  /// Whether the database can still commit a group whose requests have failed with an unknown outcome.
  ///
  /// What is read meanwhile can lack that group, and would be out of date once the group is committed.
  let hasUnknownFates = Atomic(false)
  private let load = PendingLoad()
  private let completed = BlockingInbox<CompletedGroup>()
  private let publisher: ChangePublisher?

  /// Creates a writer, or returns `nil` if the process has no descriptors left.
  init?(
    _ context: WriterContext, at address: PostgresAddress, schema: String, named name: String,
    wait: Duration, publisher: ChangePublisher?, logger: Logger
  ) {
    guard let waker = Waker() else { return nil }
    self.context = context
    self.address = address
    self.schema = schema
    self.name = name
    self.waker = waker
    self.wait = wait
    self.publisher = publisher
    health = DatabaseHealth(logger: logger)
    arrivals = Inbox(waking: waker)
    attempts = Inbox(waking: waker)
  }

  /// Starts the threads, which end after ``close()``.
  ///
  /// - Returns: Whether they could be created.
  func start() -> Bool {
    guard
      SystemThread(
        named: "log-writer",
        { [self] in
          var loop = WriterLoop(self)
          loop.run()
          completed.close()
        }) != nil,
      SystemThread(
        named: "log-completion",
        { [self] in CompletionThread.$isCurrent.withValue(true) { complete() } }) != nil
    else {
      arrivals.close()
      return false
    }
    return true
  }

  /// The end of the wait of a request that arrives now.
  var deadline: Int64 { Clock.milliseconds + wait.milliseconds }

  /// Writes a request with the next group.
  ///
  /// The completion is called on `log-completion`; or immediately, on this thread, if too much is pending or
  /// the store is closed.
  func write(_ write: PendingWrite) {
    let request = write.request
    guard load.admit(bytes: request.size) else {
      request.completion?(.failure(.unavailable("Too many writes are pending.")))
      return
    }
    guard arrivals.send(.write(write)) else {
      load.remove(bytes: request.size)
      request.completion?(.failure(.unavailable("The store is closed.")))
      return
    }
  }

  /// Requests the batch of a source when the next group is formed, on `log-writer`.
  func announce(_ source: any BatchSource) {
    load.add()
    guard arrivals.send(.source(source)) else {
      source.appendBatch()  // the append fails because the store is closed
      return load.remove()
    }
  }

  /// Records that the batch of a source was requested.
  func didAsk() { load.remove() }

  /// Blocks until no request is pending, including those of completions.
  func waitUntilIdle(within time: Duration) {
    load.waitUntilIdle(within: Self.wholeSeconds(time))
  }

  /// Rejects requests from now on; pending ones are still written.
  func close() { arrivals.close() }

  /// Blocks until the threads have ended after ``close()``.
  ///
  /// - Returns: Whether they ended in time.
  func waitUntilEnded(within time: Duration) -> Bool {
    load.waitUntilEnded(within: Self.wholeSeconds(time))
  }

  /// A time of at least one second.
  private static func wholeSeconds(_ time: Duration) -> Duration {
    .seconds(max(1, time.components.seconds))
  }

  // MARK: log-connect

  /// Connects on a thread of its own, because the system's name service and the connection block.
  func connect() {
    let thread = SystemThread(named: "log-connect") { [self] in
      do throws(PostgresError) {
        // A server that stops to respond must not delay the attempt at another one.
        let deadline = Clock.milliseconds + 5000
        let connection = try PostgresConnection.open(address)
        let registration = try Registration(
          context.writer, named: name, at: connection, schema: schema, deadline: deadline)
        try connection.beginPipeline(preparing: context.statements.all, deadline: deadline)
        attempts.send(.connected(connection, registration))
      } catch {
        attempts.send(.failed(error))
      }
    }
    if thread == nil { attempts.send(.failed(.lost("cannot create a thread"))) }
  }

  // MARK: log-completion

  func complete(
    _ writes: [PendingWrite], _ results: [Result<Void, LogError>], latestChange: Int? = nil
  ) {
    _ = completed.send(
      CompletedGroup(writes: writes, results: results, latestChange: latestChange))
  }

  private func complete() {
    while let groups = completed.receive(waiting: 600) {
      for group in groups {
        var bytes = 0
        for (write, result) in zip(group.writes, group.results) {
          if case .success = result { write.session?.didWrite(write.request.operation) }
          write.request.completion?(result)
          bytes += write.request.size
        }
        // Publish the changes after the completions, which publish the states.
        if let latest = group.latestChange { publisher?.publish(latest) }
        load.remove(group.writes.count, bytes: bytes)
      }
    }
    load.end()
  }
}
