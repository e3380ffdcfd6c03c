package import ClientCore
internal import Synchronization
internal import SystemThreads

/// The transport of libcurl: HTTP/1.1, HTTP/2 over TLS, the system's certificates, and the proxies of the
/// environment.
///
/// One thread performs all transfers; it ends, and closes all connections, after a minute without a
/// request. Requests share a bounded number of connections. Requests that the server holds for long, for
/// example actions whose effects are awaited, have connections of their own, and each stream has one.
///
/// ```
///   send, open ──▶ commands ──wake──▶ thread (TransferLoop) ──▶ libcurl
///                                        │ responses, parts of streams
///                                        ▼
///                           threads of Dispatch ──▶ completion, receive
/// ```
///
/// The recipients run on threads of Dispatch: one that blocks delays its own response only. A stream whose
/// recipient blocks is paused when 64 KiB wait, and the server is then delayed by TCP.
package final class CurlTransport: ClientTransport {
  /// The limits of a transport.
  package struct Limits: Sendable {
    /// The limits of each transfer.
    package var transfers = TransferLimits()

    /// The time without a transfer after which the thread ends and closes the connections.
    package var idle = Duration.seconds(60)

    /// The longest timeout of requests that share connections.
    ///
    /// Those with a longer timeout are requests that the server holds.
    package var shared = Duration.seconds(30)

    /// The number of requests that the server holds; further ones wait.
    package var held = 32

    /// Creates the default limits.
    package init() {}
  }

  private let mailbox: TransferMailbox

  /// Creates a transport; no connection is opened yet.
  ///
  /// - Parameters:
  ///   - origin: The server.
  ///   - connections: The requests that are sent at a time; further ones wait.
  ///   - limits: The limits.
  package init(to origin: HTTPOrigin, connections: Int = 4, limits: Limits = Limits()) {
    mailbox = TransferMailbox(origin, connections, limits)
  }

  deinit { mailbox.close() }

  /// Sends a request and receives the complete response, of at most 64 MiB.
  package func send(
    _ request: TransportRequest,
    completion: @escaping @Sendable (Result<TransportResponse, Problem>) -> Void
  ) {
    let isAccepted = mailbox.post(.send(request, completion))
    if !isAccepted { completion(.failure(.noResponse)) }
  }

  /// Sends a request on a connection of its own and receives its response as it arrives.
  package func open(
    _ request: TransportRequest, receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let delivery = StreamDelivery(mailbox, receive)
    let isAccepted = mailbox.post(.open(request, delivery))
    if !isAccepted { delivery.offer(.end(.noResponse)) }
    return delivery
  }

  /// Ends all connections.
  package func close() { mailbox.close() }
}

/// A command to the thread of a transport.
enum TransferCommand: Sendable {
  case send(TransportRequest, @Sendable (Result<TransportResponse, Problem>) -> Void)
  case open(TransportRequest, StreamDelivery)
  case cancel(StreamDelivery)
  case resume(StreamDelivery)

  /// Whether the command begins a transfer, and not changes one.
  fileprivate var isBeginning: Bool {
    switch self {
    case .send, .open: true
    case .cancel, .resume: false
    }
  }

  /// Passes a problem to the recipient of a command that is not executed.
  func reject(_ problem: Problem) {
    switch self {
    case .send(_, let completion): completion(.failure(problem))
    case .open(_, let delivery): delivery.offer(.end(problem))
    case .cancel, .resume: break
    }
  }
}

/// The commands to the thread of a transport, which is started for the first of them.
///
/// ```
///   none ──post──▶ starting ──attach──▶ awake ◀──take── asleep
///    ▲                                    │ └──sleep──────▲
///    └───────────────────end──────────────┘
/// ```
final class TransferMailbox: Sendable {
  private enum Owner: Sendable {
    case none
    case starting
    case awake(TransferWake)
    case asleep(TransferWake)
  }

  private struct State: Sendable {
    var owner = Owner.none
    var commands: [TransferCommand] = []
    var isClosed = false

    /// Wakes the thread if it is asleep.
    mutating func wake() {
      guard case .asleep(let wake) = owner else { return }
      owner = .awake(wake)
      wake()
    }
  }

  let origin: HTTPOrigin
  let connections: Int
  let limits: CurlTransport.Limits
  private let state = Mutex(State())

  init(_ origin: HTTPOrigin, _ connections: Int, _ limits: CurlTransport.Limits) {
    self.origin = origin
    self.connections = max(1, connections)
    self.limits = limits
  }

  /// Adds a command, from any thread.
  ///
  /// - Returns: `false` if the transport is closed; the command is not executed then.
  @discardableResult
  func post(_ command: TransferCommand) -> Bool {
    let (isAccepted, mustStart) = state.withLock { state in
      guard !state.isClosed else { return (false, false) }
      guard case .none = state.owner else {
        state.commands.append(command)
        state.wake()
        return (true, false)
      }
      // Without a thread there is no transfer that could be changed.
      guard command.isBeginning else { return (true, false) }
      state.commands.append(command)
      state.owner = .starting
      return (true, true)
    }
    if mustStart { start() }
    return isAccepted
  }

  /// Ends all transfers and rejects further commands, from any thread.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.wake()
    }
  }

  private func start() {
    let thread = SystemThread(named: "reactor-client") { [self] in
      let loop = TransferLoop(self)
      guard let wake = loop.wake else { return fail() }
      state.withLock { $0.owner = .awake(wake) }
      loop.run()
    }
    if thread == nil { fail() }
  }

  private func fail() {
    let commands = state.withLock { state in
      state.owner = .none
      defer { state.commands = [] }
      return state.commands
    }
    for command in commands { command.reject(.noConnection) }
  }

  // MARK: The thread

  /// Returns the commands since the last call, and whether the transport is closed.
  func take() -> (commands: [TransferCommand], isClosed: Bool) {
    state.withLock { state in
      if case .asleep(let wake) = state.owner { state.owner = .awake(wake) }
      defer { state.commands = [] }
      return (state.commands, state.isClosed)
    }
  }

  /// Requests a wake for the next command; returns `false` if the thread must not sleep.
  func sleep() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty, !state.isClosed, case .awake(let wake) = state.owner else {
        return false
      }
      state.owner = .asleep(wake)
      return true
    }
  }

  /// Withdraws the wake of the thread, which then ends; returns `false` if there are commands.
  func end() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.owner = .none
      return true
    }
  }
}

extension Problem {
  fileprivate static let noConnection = Problem(
    .unreachable, "The system cannot open another connection",
    "The process or the system is at its limit of threads or of open files. The request is repeated "
      + "if it is safe.")
}
