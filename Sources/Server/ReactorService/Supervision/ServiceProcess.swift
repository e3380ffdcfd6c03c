internal import Glibc
internal import SystemThreads

/// A process of the service, started by the supervisor.
struct ServiceProcess: ~Copyable {
  /// The end of a process.
  enum End: Equatable {
    case exited(Int32)
    case killed(Int32)
  }

  /// The reason a process cannot be started.
  struct Failure: Error {
    let reason: String
  }

  /// The process id, valid until ``reap()``.
  let id: pid_t

  private let reports: Int32

  private init(id: pid_t, reports: Int32) {
    self.id = id
    self.reports = reports
  }

  deinit { close(reports) }

  /// Starts the executable of this process again, with the same arguments.
  ///
  /// Main thread only: the process ends with the thread that has started it.
  ///
  /// - Parameters:
  ///   - sockets: The listening sockets to pass.
  ///   - errors: The standard error of the process.
  ///   - marks: The file for the marks of running actions.
  ///   - restarts: The number of earlier crashes.
  ///   - lastSignal: The signal of the last crash; 0 for none.
  /// - Returns: The process.
  /// - Throws: A failure of the system.
  static func start(
    sockets: [Int32], errors: Int32, marks: Int32, restarts: Int, lastSignal: Int32
  ) throws(Failure) -> ServiceProcess {
    guard let reports = CloseOnExecPipe.make() else {
      throw Failure(reason: "no file descriptors are left")
    }
    defer { close(reports.writing) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    // A source may have the number of a target: duplicate the sources above all targets first.
    let sources = [reports.writing] + sockets + [marks]
    let base = SupervisorLink.firstDescriptor
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    for (offset, source) in sources.enumerated() {
      let copy = fcntl(source, F_DUPFD_CLOEXEC, base + Int32(sources.count))
      guard copy >= 0 else { throw Failure(reason: "no file descriptors are left") }
      copies.append(copy)
      unsafe posix_spawn_file_actions_adddup2(&actions, copy, base + Int32(offset))
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // Start the process in its own process group, so that a terminal sends signals only to the
    // supervisor.
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    for number in [SIGPIPE, SIGUSR1, SIGUSR2] { unsafe sigaddset(&defaults, number) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    var unblocked = sigset_t()
    unsafe sigemptyset(&unblocked)
    unsafe posix_spawnattr_setsigmask(&attributes, &unblocked)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

    let link = SupervisorLink(
      socketCount: sockets.count, restarts: restarts, lastSignal: lastSignal)
    let environment = ServiceEnvironment.variables(adding: link, to: environmentVariables())
    let words = unsafe CommandLine.arguments.map { unsafe strdup($0) }
    let variables = unsafe environment.map { unsafe strdup($0) }
    defer { unsafe (words + variables).forEach { unsafe free($0) } }
    var id = pid_t()
    let status = unsafe posix_spawn(
      &id, "/proc/self/exe", &actions, &attributes, words + [nil], variables + [nil])
    guard status == 0 else {
      close(reports.reading)
      throw unsafe Failure(
        reason: strerror(status).map { unsafe String(cString: $0) } ?? "error \(status)")
    }
    return ServiceProcess(id: id, reports: reports.reading)
  }

  /// Waits until the process accepts connections; returns `false` if it ends before that.
  func waitUntilReady() -> Bool {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(reports, &byte, 1)
      if count >= 0 || errno != EINTR { return count == 1 }
    }
  }

  /// Waits until the process ends or hangs.
  ///
  /// The process reports ten times within the limit that it is alive. As in `ThreadWatch`, the time is
  /// counted in intervals, so that a machine that is suspended loses one of them.
  ///
  /// - Returns: Whether the process hangs: it has reported nothing for two intervals more than the limit.
  func waitUntilHanging(limit: Duration) -> Bool {
    let interval = Int32(clamping: max(1, limit.milliseconds / 10))
    var bytes = [UInt8](repeating: 0, count: 64)
    var silentIntervals = 0
    while silentIntervals < 12 {
      var watched = pollfd(fd: reports, events: Int16(POLLIN), revents: 0)
      switch unsafe poll(&watched, 1, interval) {
      case 0: silentIntervals += 1
      case 1...:
        guard unsafe read(reports, &bytes, bytes.count) > 0 else { return false }
        silentIntervals = 0
      default: break
      }
    }
    return true
  }

  /// Waits until the process has ended.
  func waitUntilEnded() {
    var information = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }

  /// Releases the id and returns how the process ended.
  consuming func reap() -> End {
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .killed(signal)
  }

  private static func environmentVariables() -> [String] {
    var variables: [String] = []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      unsafe variables.append(String(cString: entry))
      unsafe next += 1
    }
    return variables
  }
}

/// A pipe that child processes do not inherit.
enum CloseOnExecPipe {
  static func make() -> (reading: Int32, writing: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }
}
