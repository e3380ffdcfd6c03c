internal import Glibc
internal import MicrohttpdServer
internal import SystemThreads

/// The service's connection to its supervisor.
///
/// The supervisor passes a pipe that it holds open as long as it lives, a pipe to report readiness, and
/// the listening sockets, and describes them in an environment variable.
struct SupervisorLink: Sendable {
  /// The environment variable, which is not a setting.
  static let variableName = Setting.prefix + "SUPERVISOR"

  /// The number of the first passed descriptor.
  static let firstDescriptor: Int32 = 3

  /// The number of passed sockets.
  let socketCount: Int

  /// The number of crashes before this process.
  let restarts: Int

  /// Creates a link, in the supervisor.
  init(socketCount: Int, restarts: Int) {
    self.socketCount = socketCount
    self.restarts = restarts
  }

  /// Reads the environment; `nil` if this process has no supervisor.
  init?(_ environment: [String: String]) {
    let words = environment[Self.variableName]?.split(separator: ",").compactMap { Int($0) } ?? []
    guard words.count == 3, words[0] == Int(getppid()), (0...64).contains(words[1]) else {
      return nil
    }
    socketCount = words[1]
    restarts = words[2]
  }

  /// The environment variable for the service.
  var variable: String { "\(Self.variableName)=\(getpid()),\(socketCount),\(restarts)" }

  /// The listening sockets.
  var endpoints: [MicrohttpdServer.Endpoint] {
    (0..<Int32(socketCount)).map {
      .inherited(descriptor: Self.firstDescriptor + 2 + $0, isRetained: false)
    }
  }

  /// Ends this process when the supervisor ends.
  func followSupervisor() {
    unsafe unsetenv(Self.variableName)
    for offset in 0..<Int32(socketCount + 2) {
      _ = fcntl(Self.firstDescriptor + offset, F_SETFD, FD_CLOEXEC)
    }
    _ = SystemThread(named: "supervisor") {
      var byte: UInt8 = 0
      while unsafe read(Self.firstDescriptor, &byte, 1) < 0, errno == EINTR {}
      // The store is safe at any time, as in a crash.
      _exit(EXIT_FAILURE)
    }
  }

  /// Reports that connections are accepted.
  func reportReady() {
    _ = unsafe write(Self.firstDescriptor + 1, "R", 1)
    close(Self.firstDescriptor + 1)
  }
}
