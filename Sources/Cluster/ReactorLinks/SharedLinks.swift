internal import Crypto
internal import ReactorCluster
internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// The part of a bus that its threads use.
final class SharedLinks: Sendable {
  struct State {
    /// Link 0 is the waker of the thread, and link 1 the listening socket.
    var machine = LinkMachine(firstLink: 2)
    var handler: (any BusHandler)?
    /// The hosts whose names were resolved: the link, the number of the attempt, and the addresses.
    var resolved: [(link: LinkID, attempt: UInt64, addresses: [LinkSocketAddress])] = []
    /// The threads that wait until all frames are written.
    var flushes: [Semaphore] = []
    var isClosed = false
    fileprivate var isAsleep = false

    /// Whether the thread must not sleep.
    fileprivate var hasWork: Bool { machine.hasWork || !resolved.isEmpty || isClosed }
  }

  let cluster: String
  let address: LinkAddress
  let key: SharedKey
  let directory: any NodeDirectory
  let logger: Logger
  let waker: Waker
  /// Requests, messages and replies have a thread each: none of them waits for another kind.
  let requests: DeliveryThread
  let messages: DeliveryThread
  let replies: DeliveryThread
  private let state = Mutex(State())

  init?(
    _ cluster: String, _ address: LinkAddress, _ key: SharedKey, _ directory: any NodeDirectory,
    _ logger: Logger
  ) {
    guard let waker = Waker(), let requests = DeliveryThread(named: "link-requests") else {
      return nil
    }
    guard let messages = DeliveryThread(named: "link-messages"),
      let replies = DeliveryThread(named: "link-replies")
    else {
      requests.close()
      return nil
    }
    (self.cluster, self.address, self.key, self.logger) = (cluster, address, key, logger)
    (self.directory, self.waker) = (directory, waker)
    (self.requests, self.messages, self.replies) = (requests, messages, replies)
  }

  /// Changes the state, and wakes the thread if it has work then.
  func change<Result: Sendable>(_ body: (inout sending State) -> sending Result) -> Result {
    let (result, wakes) = state.withLock { state in
      let result = body(&state)
      let wakes = state.isAsleep && (state.hasWork || !state.flushes.isEmpty)
      if wakes { state.isAsleep = false }
      return (result, wakes)
    }
    if wakes { waker.wake() }
    return result
  }

  /// Announces that the thread sleeps.
  ///
  /// - Returns: `false` if it must not.
  func prepareToSleep() -> Bool {
    state.withLock { state in
      state.isAsleep = !state.hasWork
      return state.isAsleep
    }
  }

  /// Withdraws the announcement: the thread is awake.
  func cancelSleep() { state.withLock { $0.isAsleep = false } }

  /// Calls the receivers of requests that have ended.
  func complete(_ ended: [LinkCompletion], size: Int = 0) {
    guard !ended.isEmpty else { return }
    replies.deliver(size) { for completion in ended { completion.execute() } }
  }

  /// Ends the threads.
  func close() {
    change { $0.isClosed = true }
  }
}
