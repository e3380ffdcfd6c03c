internal import Glibc
internal import MicrohttpdServer
internal import SystemThreads

/// The service's connection to its supervisor.
///
/// The supervisor passes a pipe for reports, the listening sockets, and a file for the marks of running
/// actions, and describes them in an environment variable.
struct SupervisorLink: Sendable {
  /// The environment variable, which is not a setting.
  static let variableName = Setting.prefix + "SUPERVISOR"

  /// The number of the first passed descriptor.
  static let firstDescriptor: Int32 = 3

  /// The process id of the supervisor.
  let supervisor: pid_t

  /// The number of passed sockets.
  let socketCount: Int

  /// The number of crashes before this process.
  let restarts: Int

  /// The signal that ended the process before this one; 0 for none.
  let lastSignal: Int32

  /// Creates a link, in the supervisor.
  init(socketCount: Int, restarts: Int, lastSignal: Int32) {
    supervisor = getpid()
    self.socketCount = socketCount
    self.restarts = restarts
    self.lastSignal = lastSignal
  }

  /// Reads the environment, or returns `nil` if this process has no supervisor.
  init?(_ environment: [String: String]) {
    let words = environment[Self.variableName]?.split(separator: ",").compactMap { Int($0) } ?? []
    guard words.count == 4, words[0] > 0, (0...64).contains(words[1]) else { return nil }
    supervisor = pid_t(clamping: words[0])
    socketCount = words[1]
    restarts = words[2]
    lastSignal = Int32(clamping: words[3])
  }

  /// The environment variable for the service.
  var variable: String {
    "\(Self.variableName)=\(supervisor),\(socketCount),\(restarts),\(lastSignal)"
  }

  /// The file for the marks of running actions.
  var marksDescriptor: Int32 { Self.firstDescriptor + 1 + Int32(socketCount) }

  /// The listening sockets.
  var endpoints: [MicrohttpdServer.Endpoint] {
    (0..<Int32(socketCount)).map {
      .inherited(descriptor: Self.firstDescriptor + 1 + $0, isRetained: false)
    }
  }

  /// Ends this process when the supervisor ends, or if it has ended already.
  func followSupervisor() {
    // The store needs no shutdown: it is consistent after a crash at any time.
    ParentProcess.follow(supervisor)
    unsafe unsetenv(Self.variableName)
    for offset in 0..<Int32(socketCount + 2) {
      _ = fcntl(Self.firstDescriptor + offset, F_SETFD, FD_CLOEXEC)
    }
    // A supervisor that is stopped does not read the reports.
    _ = fcntl(Self.firstDescriptor, F_SETFL, O_NONBLOCK)
  }

  /// Reports that connections are accepted, and later that the threads of the service respond.
  func reportAlive() { _ = unsafe write(Self.firstDescriptor, ".", 1) }
}
