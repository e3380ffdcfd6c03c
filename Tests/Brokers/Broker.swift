import Foundation
import Glibc
import Synchronization

/// A nats-server process with JetStream in a temporary folder.
///
/// The process ends with the object.
///
/// The binary is that of ``program(in:)``. A process that panics is started again with the same
/// port and data, as a service manager does. The reason is a panic of nats-server 2.9.10 in
/// `jsMsgGetRequest`, which occurs if a message is read from a stream that is being created: one of
/// these panics must not fail all tests that share the broker.
public final class Broker: Sendable {
  /// An error of a process.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason, with the output of the process.
    public let description: String
  }

  /// Settings of a broker that retains the connections of a process that is not executed for
  /// minutes.
  public static let patience = "ping_interval: \"10m\"\nwrite_deadline: \"10m\""

  /// The id of the process, or `nil` if it is not running.
  public var id: Int32? { child.withLock { $0 } }

  /// The port for clients.
  public let port: UInt16

  /// The port of `/healthz`, which responds with 200 once all streams of the broker are current.
  public let monitoringPort: UInt16

  /// The nats-server binary.
  private let program: String
  private let folder: String
  private let child = Mutex<pid_t?>(nil)

  /// Starts a broker, and waits until it accepts connections.
  ///
  /// - Parameters:
  ///   - settings: Additional lines of the configuration.
  ///   - hasJetStream: Whether JetStream is enabled.
  ///   - program: The path or name of the binary.
  /// - Throws: If the process does not start.
  public init(
    _ settings: String = "", hasJetStream: Bool = true, program: String = Broker.program()
  ) throws {
    self.program = program
    (port, monitoringPort) = (Self.freePort(), Self.freePort())
    folder = Self.makeFolder()
    try write("b1", settings, hasJetStream)
    try start()
    try waitUntilReady()
  }

  /// Creates a member of a cluster without starting it.
  init(
    _ name: String, cluster port: UInt16, routes: [UInt16], _ settings: String = ""
  ) throws {
    program = Self.program()
    (self.port, monitoringPort) = (Self.freePort(), Self.freePort())
    folder = Self.makeFolder()
    let list = routes.map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
    let listen = "listen: \"127.0.0.1:\(port)\""
    let separator = settings.isEmpty ? "" : ", "
    try write(
      name, "cluster { name: test, \(listen), routes: [\(list)]\(separator)\(settings) }", true)
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The address for clients.
  public var url: String { "nats://127.0.0.1:\(port)" }

  /// The output of the process so far.
  public var output: String {
    (try? String(contentsOfFile: folder + "/output", encoding: .utf8)) ?? ""
  }

  /// Ends the process immediately, as a crash would.
  public func kill() { end(SIGKILL) }

  /// Ends the process in an orderly way.
  public func stop() { end(SIGTERM) }

  /// Stops the execution of the process, and waits until it has stopped.
  public func pause() {
    child.withLock { child in
      guard let id = child else { return }
      _ = Glibc.kill(id, SIGSTOP)
      var information = siginfo_t()
      while waitid(P_PID, id_t(id), &information, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR
      {
      }
    }
  }

  /// Continues the execution of the process.
  public func resume() { child.withLock { if let id = $0 { _ = Glibc.kill(id, SIGCONT) } } }

  /// Starts the process again after its end, with the same port and data.
  public func start() throws {
    try child.withLock { child in
      guard child == nil else { return }
      child = try spawn()
      if let id = child { restartAfterPanic(of: id) }
    }
  }

  /// Waits for the end of a process on a thread of its own, and replaces a process that has
  /// panicked.
  private func restartAfterPanic(of id: pid_t) {
    Thread.detachNewThread { [weak self] in
      var information = siginfo_t()
      // Wait without reaping the process: ``end(_:)`` can signal the process only as long as its
      // identifier is not reused.
      while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      let exit = (information.si_code, information._sifields._sigchld.si_status)
      guard exit == (CInt(CLD_EXITED), Self.panicStatus) else { return }
      self?.replace(id)
    }
  }

  private func replace(_ id: pid_t) {
    child.withLock { child in
      guard child == id else { return }
      Self.reap(id)
      let lines = output.split(separator: "\n").drop { !$0.hasPrefix("panic:") }.prefix(8)
      FileHandle.standardError.write(
        Data("nats-server panicked and is started again:\n\(lines.joined(separator: "\n"))\n".utf8))
      child = try? spawn()
      if let id = child { restartAfterPanic(of: id) }
    }
  }

  /// The exit status of a Go program that panics.
  private static let panicStatus: CInt = 2

  private static func reap(_ id: pid_t) {
    living.withLock { _ = $0.remove(id) }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
  }

  /// Waits until the broker accepts connections.
  public func waitUntilReady(within time: Duration = .seconds(120)) throws {
    let deadline = ContinuousClock.now + time
    while !Self.accepts(port) {
      guard ContinuousClock.now < deadline, isRunning else {
        throw Failure(description: "nats-server did not start: \(output)")
      }
      usleep(10_000)
    }
  }

  /// Whether the process is running.
  ///
  /// A binary that cannot read the configuration ends immediately.
  private var isRunning: Bool {
    child.withLock { child in
      guard let id = child else { return false }
      var information = siginfo_t()
      let status = waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT)
      return status == 0 && information._sifields._sigchld.si_pid == 0
    }
  }

  private func write(_ name: String, _ settings: String, _ hasJetStream: Bool) throws {
    let store = "jetstream { store_dir: \"\(folder)/store\", max_file_store: 2GB }"
    let text = """
      listen: "127.0.0.1:\(port)"
      http: "127.0.0.1:\(monitoringPort)"
      server_name: \(name)
      \(settings.contains("max_payload") ? "" : "max_payload: 8MB")
      \(settings.contains("ping_interval") ? "" : "ping_interval: \"2s\"")
      ping_max: 2
      \(settings.contains("write_deadline") ? "" : "write_deadline: \"5s\"")
      \(hasJetStream ? store : "")
      \(settings)
      """
    try text.write(toFile: folder + "/broker.conf", atomically: true, encoding: .utf8)
  }

  private func end(_ signal: Int32) {
    child.withLock { child in
      guard let id = child else { return }
      _ = Glibc.kill(id, signal)
      // A stopped process receives the signal only after it continues.
      _ = Glibc.kill(id, SIGCONT)
      Self.reap(id)
      child = nil
    }
  }

  private func spawn() throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_APPEND
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, folder + "/output", flags, 0o600)
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The broker must not inherit the signal mask of the test's thread.
    var mask = sigset_t()
    sigemptyset(&mask)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let arguments: [String] = [program, "-c", "\(folder)/broker.conf"]
    let words = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    var id = pid_t()
    let status = posix_spawnp(&id, program, &actions, &attributes, words + [nil], environ)
    guard status == 0 else {
      throw Failure(description: "\(program) did not start: \(String(cString: strerror(status)))")
    }
    Self.endAtExit(id)
    return id
  }

  /// The processes to end when this process exits.
  ///
  /// Brokers that all tests share are never released.
  private static let living = Mutex<Set<pid_t>>([])

  private static func endAtExit(_ id: pid_t) {
    let isFirst = living.withLock { living in
      defer { living.insert(id) }
      return living.isEmpty
    }
    guard isFirst else { return }
    atexit { Broker.living.withLock { living in for id in living { _ = Glibc.kill(id, SIGKILL) } } }
  }

  /// Returns the binary that the environment variable `NATS_SERVER` names, the one that `make test`
  /// unpacks, or the one in the `PATH`, in this order.
  ///
  /// - Parameter environment: The environment, or `nil` for that of this process.
  /// - Returns: The path or name of the binary.
  public static func program(in environment: [String: String]? = nil) -> String {
    let environment = environment ?? ProcessInfo.processInfo.environment
    if let program = environment["NATS_SERVER"], !program.isEmpty { return program }
    let unpacked = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../.build/prometheus/usr/sbin/nats-server").standardizedFileURL.path
    return FileManager.default.isExecutableFile(atPath: unpacked) ? unpacked : "nats-server"
  }

  private static func makeFolder() -> String {
    let path = NSTemporaryDirectory() + "/broker-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
  }

  /// The ports of all brokers.
  ///
  /// A port is reserved from its selection until the broker has bound it.
  private static let chosenPorts = Mutex<Set<UInt16>>([])

  /// Returns a port outside the range from which the system selects ports, so that no other socket
  /// takes it during a restart of the broker.
  static func freePort() -> UInt16 {
    while true {
      let port = UInt16.random(in: 18_000...29_999)
      guard chosenPorts.withLock({ $0.insert(port).inserted }) else { continue }
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      defer { close(descriptor) }
      if with(port, { bind(descriptor, $0, $1) }) == 0 { return port }
    }
  }

  private static func accepts(_ port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    guard with(port, { connect(descriptor, $0, $1) }) == 0 else { return false }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) == 1
  }

  private static func with(
    _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

/// Three brokers that form a cluster.
///
/// Their processes end with the object.
public final class BrokerCluster: Sendable {
  /// The brokers.
  public let brokers: [Broker]

  /// Starts three brokers, and waits until they accept connections.
  ///
  /// JetStream responds some seconds later, after the brokers have elected a leader.
  public init() throws {
    let routes = (0..<3).map { _ in Broker.freePort() }
    brokers = try (0..<3).map {
      try Broker("b\($0 + 1)", cluster: routes[$0], routes: routes)
    }
    for broker in brokers { try broker.start() }
    for broker in brokers { try broker.waitUntilReady() }
  }

  /// The addresses for clients.
  public var url: String { brokers.map(\.url).joined(separator: ",") }
}
