internal import Synchronization
internal import SystemThreads

/// One thread that parses and answers requests, seen from all others.
///
/// The thread owns a `Daemon`, accepts connections for it, and runs it whenever one of its sockets
/// has something, see `RequestWorker`. An answer that comes later, on whichever thread, is put
/// into the inbox; many that come together (a log that commits in groups gives them so) cost one
/// wake.
final class RequestLoop: Sendable {
  /// What the thread waits in.
  let poller: Poller
  private let inbox = Mutex(RequestInbox())
  private let bell: WakeEvent
  private let thread = Mutex<SystemThread?>(nil)

  init() throws(ServerError) {
    poller = try Poller()
    bell = try WakeEvent()
    guard poller.addReadable(bell.descriptor, token: RequestWorker.bellToken) else {
      throw ServerError(.noResources, "The system watches no more descriptors.")
    }
  }

  /// Starts the thread, which does the work of a stream loop as well if it is given one.
  func start(
    _ core: ServerCore, _ listeners: [ListeningSocket], with streams: StreamLoop?
  ) throws(ServerError) {
    let arrival = WorkerArrival(
      try RequestWorker(loop: self, core: core, listeners: listeners, streams: streams))
    var thread = SystemThread(named: "requests") { arrival.take()?.run() }
    guard thread != nil else { throw ServerError(.noResources, "The system gave no thread.") }
    self.thread.withLock { $0 = thread.take() }
  }

  /// The answer is there that an exchange waits for.
  func deliver(_ exchange: Exchange) { put { $0.answered.append(exchange) } }

  /// A connection was closed somewhere while all were taken.
  func tellRoom() { put { $0.hasRoom = true } }

  /// Accepts no more from sockets that others listen on, too.
  func leaveInheritedSockets() { put { $0.leavesInherited = true } }

  /// Answers for whoever waits, and lets nobody begin to wait.
  func abandonWaiting() { put { $0.abandonsWaiting = true } }

  /// Closes all connections and blocks until the thread has ended.
  func stop() {
    put { $0.stops = true }
    if let thread = thread.withLock({ $0.take() }) { thread.join() }
  }

  /// The thread takes what there is.
  func takeInbox(into taken: inout RequestInbox) {
    inbox.withLock { $0.take(into: &taken) }
  }

  /// The thread wants to wait; false when there is something to take after all.
  func fallAsleep() -> Bool {
    inbox.withLock { inbox in
      inbox.isAsleep = inbox.isEmpty
      return inbox.isAsleep
    }
  }

  /// The thread has heard the bell.
  func clearBell() { bell.clear() }

  private func put(_ change: (inout RequestInbox) -> Void) {
    let rings = inbox.withLock { inbox in
      change(&inbox)
      return inbox.mustRing()
    }
    if rings { bell.ring() }
  }
}

/// A worker on its way to its thread.
private final class WorkerArrival: Sendable {
  private let worker: Mutex<RequestWorker?>

  init(_ worker: sending RequestWorker) { self.worker = Mutex(worker) }

  func take() -> sending RequestWorker? {
    worker.withLock { worker in
      defer { worker = nil }
      return worker
    }
  }
}
