internal import Glibc
internal import MicrohttpdServer
internal import SystemThreads

/// The service's connection to its supervisor.
///
/// The supervisor passes a pipe that it holds open as long as it lives, a pipe to report readiness, the
/// listening sockets, and a file for the marks of running actions, and describes them in an environment
/// variable.
struct SupervisorLink: Sendable {
  /// The environment variable, which is not a setting.
  static let variableName = Setting.prefix + "SUPERVISOR"

  /// The number of the first passed descriptor.
  static let firstDescriptor: Int32 = 3

  /// The number of passed sockets.
  let socketCount: Int

  /// The number of crashes before this process.
  let restarts: Int

  /// The signal that ended the process before this one; 0 for none.
  let lastSignal: Int32

  /// Creates a link, in the supervisor.
  init(socketCount: Int, restarts: Int, lastSignal: Int32) {
    self.socketCount = socketCount
    self.restarts = restarts
    self.lastSignal = lastSignal
  }

  /// Reads the environment; `nil` if this process has no supervisor.
  init?(_ environment: [String: String]) {
    let words = environment[Self.variableName]?.split(separator: ",").compactMap { Int($0) } ?? []
    guard words.count == 4, words[0] == Int(getppid()), (0...64).contains(words[1]) else {
      return nil
    }
    socketCount = words[1]
    restarts = words[2]
    lastSignal = Int32(clamping: words[3])
  }

  /// The environment variable for the service.
  var variable: String {
    "\(Self.variableName)=\(getpid()),\(socketCount),\(restarts),\(lastSignal)"
  }

  /// The file for the marks of running actions.
  var marksDescriptor: Int32 { Self.firstDescriptor + 2 + Int32(socketCount) }

  /// The listening sockets.
  var endpoints: [MicrohttpdServer.Endpoint] {
    (0..<Int32(socketCount)).map {
      .inherited(descriptor: Self.firstDescriptor + 2 + $0, isRetained: false)
    }
  }

  /// Ends this process when the supervisor ends.
  func followSupervisor() {
    unsafe unsetenv(Self.variableName)
    for offset in 0..<Int32(socketCount + 3) {
      _ = fcntl(Self.firstDescriptor + offset, F_SETFD, FD_CLOEXEC)
    }
    _ = SystemThread(named: "supervisor") {
      var byte: UInt8 = 0
      while unsafe read(Self.firstDescriptor, &byte, 1) < 0, errno == EINTR {}
      // The store needs no shutdown: it is consistent after a crash at any time.
      _exit(EXIT_FAILURE)
    }
  }

  /// Reports that connections are accepted.
  func reportReady() {
    _ = unsafe write(Self.firstDescriptor + 1, "R", 1)
    close(Self.firstDescriptor + 1)
  }
}
