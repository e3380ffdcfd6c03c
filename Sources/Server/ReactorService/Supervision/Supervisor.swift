internal import CCrashMarks
internal import Dispatch
internal import Glibc
internal import MicrohttpdServer
internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry
internal import TerminalClient

/// Runs the service in a child process, and restarts it after a crash.
///
/// The supervisor owns the listening sockets, so that connections wait in their backlog during a
/// restart. It forwards signals to the service and writes the output of the service to the log. It ends
/// with the service's exit code when the service exits, restarts a service that a signal killed, and kills
/// one that hangs.
final class Supervisor: Sendable {
  private struct State {
    /// The process id of the service, or `nil` while no process of the service runs.
    var service: pid_t?
    var isTerminating = false
    /// Whether the service was killed because `shutdown.grace` had expired.
    var isOverdue = false
    var hasAnnounced = false
  }

  private let configuration: Configuration
  private let logger: Logger
  private let writer: LogOutput
  private let listeners: [ListeningSocket]
  private let state = Mutex(State())
  private let wakeup: Waker
  private let output: ServiceOutput
  /// The file for the marks of running actions, for a service with its store in memory or in
  /// a database.
  private let marks: Int32

  /// Opens the sockets and handles signals.
  ///
  /// - Throws: An error if an address cannot be bound or the process has no descriptors left.
  init(_ context: ServiceContext, writer: LogOutput) throws(ConfigurationError) {
    configuration = context.configuration
    logger = context.logger
    self.writer = writer
    listeners =
      try context.whenAddressesAreFree { () throws(ServerError) in
        var listeners: [ListeningSocket] = []
        for endpoint in context.endpoints { listeners.append(try ListeningSocket(endpoint)) }
        return listeners
      } ?? []
    marks = reactord_marks_anonymous_file()
    guard let wakeup = Waker(), let output = ServiceOutput(writer), marks >= 0 else {
      throw ConfigurationError(message: "no file descriptors are left", exitCode: EX_OSERR)
    }
    self.wakeup = wakeup
    self.output = output
    TerminationSignals.handle { [self] in forward($0) }
  }

  /// Starts the service and restarts it until it exits.
  func supervise() -> Never {
    var backoff = RestartBackoff()
    var restarts = 0
    var lastSignal: Int32 = 0
    while true {
      let start = ContinuousClock.now
      let (end, wasReady) = superviseProcess(restarts: restarts, lastSignal: lastSignal)
      switch end {
      case nil where restarts == 0: finish(EX_OSERR)
      case nil:
        // The service ran before: the system can have processes and descriptors again.
        pause(backoff.delay(afterUptime: .zero, wasReady: false))
      case .exited(let code): finish(code)
      case .killed(let signal):
        if state.withLock({ $0.isTerminating }) {
          // A terminating signal kills only a process that has not installed its handler yet. It
          // has served no requests.
          finish([SIGTERM, SIGINT, SIGQUIT].contains(signal) ? EXIT_SUCCESS : EXIT_FAILURE)
        }
        let delay = backoff.delay(afterUptime: .now - start, wasReady: wasReady)
        logger.error(
          "service crashed", ["signal": Self.name(of: signal), "restart": "\(delay)"])
        pause(delay)
        restarts += 1
        lastSignal = signal
      }
    }
  }

  /// Waits before a restart; exits if the service is to be terminated.
  private func pause(_ delay: Duration) {
    wakeup.wait(milliseconds: delay.milliseconds)
    if state.withLock({ $0.isTerminating }) { finish(EXIT_SUCCESS) }
  }

  /// Starts a process of the service and waits for its end, which is `nil` if it cannot be started.
  private func superviseProcess(
    restarts: Int, lastSignal: Int32
  ) -> (end: ServiceProcess.End?, wasReady: Bool) {
    do throws(ServiceProcess.Failure) {
      let service = try ServiceProcess.start(
        sockets: listeners.map(\.rawDescriptor), errors: output.descriptor, marks: marks,
        restarts: restarts, lastSignal: lastSignal)
      let isTerminating = state.withLock { state in
        state.service = service.id
        return state.isTerminating
      }
      if isTerminating { kill(service.id, SIGTERM) }
      let isReady = service.waitUntilReady()
      if isReady {
        announce()
        if service.waitUntilHanging(limit: configuration.watchdog) {
          logger.error(
            "service does not respond and is killed",
            ["limit": "\(configuration.watchdog)"])
          kill(service.id, SIGKILL)
        }
      }
      // Do not reap the process yet: its id must stay valid as long as `state` contains it.
      service.waitUntilEnded()
      state.withLock { $0.service = nil }
      return (service.reap(), isReady)
    } catch {
      logger.error("the service cannot be started", ["error": error.reason])
      return (nil, false)
    }
  }

  private func announce() {
    let isFirst = state.withLock { state in
      defer { state.hasAnnounced = true }
      return !state.hasAnnounced
    }
    guard isFirst else { return logger.info("service restarted") }
    for listener in listeners { Announcement.write(listener.endpoint, logger) }
  }

  private func forward(_ number: Int32) {
    let (isBetweenServices, isFirst) = state.withLock { state in
      let wasTerminating = state.isTerminating
      if number != SIGHUP { state.isTerminating = true }
      if let service = state.service {
        // A service that hangs does not handle a second signal.
        kill(service, number != SIGHUP && wasTerminating ? SIGKILL : number)
      }
      return (state.service == nil, state.isTerminating && !wasTerminating)
    }
    if isBetweenServices { wakeup.wake() }
    if isFirst { killAfterGrace() }
  }

  /// Kills a service that has not ended some time after `shutdown.grace`, at which it ends by itself
  /// unless it hangs.
  private func killAfterGrace() {
    let time = Int(configuration.shutdownGrace.milliseconds) + 700
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(time)) { [self] in
      let isHanging = state.withLock { state in
        state.isOverdue = state.service != nil
        if let service = state.service { kill(service, SIGKILL) }
        return state.isOverdue
      }
      guard isHanging else { return }
      logger.error(
        "service has not ended and is killed",
        ["shutdown.grace": "\(configuration.shutdownGrace)"])
    }
  }

  private func finish(_ code: Int32) -> Never {
    let limit: Duration = state.withLock { $0.isOverdue } ? .milliseconds(100) : .seconds(1)
    output.close(within: limit)
    for listener in listeners { listener.close() }
    writer.close(within: limit)
    exit(code)
  }

  private static func name(of signal: Int32) -> String {
    let names = [
      SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS",
      SIGABRT: "SIGABRT", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL",
    ]
    return names[signal] ?? "\(signal)"
  }
}

/// The delays before restarts.
///
/// A client that crashes the service again and again with other actions must not keep it from serving others: what
/// it crashed is quarantined at the next start. Only a service that does not get ready is delayed more and more.
struct RestartBackoff {
  private var crashes = 0

  /// Returns the delay before the next restart: none for a service that ran for a minute, and for the
  /// first crash; 0.1 s for one that was ready; then 0.1 s, doubled up to 10 s.
  mutating func delay(afterUptime uptime: Duration, wasReady: Bool) -> Duration {
    if uptime >= .seconds(60) { crashes = 0 }
    defer { crashes += 1 }
    guard crashes > 0 else { return .zero }
    guard !wasReady else {
      crashes = 0
      return .milliseconds(100)
    }
    return .milliseconds(min(100 << min(crashes - 1, 7), 10_000))
  }
}
