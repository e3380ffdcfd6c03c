internal import Synchronization
internal import SystemThreads

/// The handle of a thread that parses requests and sends responses, for use by other threads.
///
/// The thread owns a `Daemon`, accepts connections for it, and runs it when one of its sockets is ready,
/// see `RequestWorker`. Responses from other threads arrive in the inbox; those that arrive together,
/// as after a group commit, cost one wake.
final class RequestLoop: Sendable {
  /// A message to the thread.
  enum Message: Sendable {
    /// The response to a suspended exchange is ready.
    case responded(Exchange)
    /// A connection was closed while the server was full.
    case roomAvailable
    /// Close an idle connection, because the server is full.
    case closeIdle
    /// Close connections of the client whose responses have the most bytes, which exceed their bound.
    case closeLargest
    /// Stop accepting from sockets that another process listens on as well.
    case leaveInheritedSockets
    /// Reject requests that wait for a response, and from now on those without an immediate one.
    case rejectWaiting
    /// Call a function on the thread.
    case call(@Sendable () -> Void)
    /// Close all connections and end.
    case stop
  }

  /// The poller in which the thread sleeps.
  let poller: Poller
  /// Wakes the thread.
  let waker: Waker
  /// The messages to the thread.
  let inbox: Inbox<Message>
  private let thread = Mutex<SystemThread?>(nil)

  init() throws(ServerError) {
    guard let poller = Poller(), let waker = Waker(),
      poller.addReadable(waker.descriptor, token: RequestWorker.wakerToken)
    else { throw .noDescriptors }
    self.poller = poller
    self.waker = waker
    inbox = Inbox(waking: waker)
  }

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - core: The state that the threads of a server share.
  ///   - listeners: The sockets to accept from.
  ///   - streams: A stream loop without a thread of its own, which this thread also serves.
  /// - Throws: If the process has no descriptors or threads left.
  func start(
    _ core: ServerCore, _ listeners: [ListeningSocket], with streams: StreamLoop?
  ) throws(ServerError) {
    let worker = WorkerTransfer(
      try RequestWorker(loop: self, core: core, listeners: listeners, streams: streams))
    var thread = SystemThread(named: "requests") { worker.take()?.serve() }
    guard thread != nil else { throw .noThread }
    self.thread.withLock { $0 = thread.take() }
  }

  /// Closes all connections and blocks until the thread has ended.
  func stop() {
    inbox.send(.stop)
    if let thread = thread.withLock({ $0.take() }) { thread.join() }
  }
}

/// Transfers a worker to its thread.
private final class WorkerTransfer: Sendable {
  private let worker: Mutex<RequestWorker?>

  init(_ worker: sending RequestWorker) { self.worker = Mutex(worker) }

  func take() -> sending RequestWorker? {
    worker.withLock { worker in
      defer { worker = nil }
      return worker
    }
  }
}
