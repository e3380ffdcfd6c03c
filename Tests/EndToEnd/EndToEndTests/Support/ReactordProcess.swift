import Foundation
import PostgresServers
import Synchronization

/// The real service, in a process of its own.
final class ReactordProcess: Sendable {
  /// A shared service with default settings; each test uses sessions of its own.
  static let shared = Result { try ReactordProcess() }

  let process: ChildProcess
  let port: UInt16
  /// The address that the service printed, or that of the proxy in front of several nodes.
  let url: String
  /// The nodes of the cluster other than `process`.
  private let others: [ChildProcess]
  private let proxy: RoundRobinProxy?
  private let secret: ClusterSecret?

  /// Starts the service on a free port and waits until it accepts connections.
  ///
  /// A tracer is a program with arguments that executes the service.
  init(
    _ flags: [String], program: String = "reactord", environment: [String: String] = [:],
    under tracer: [String] = []
  ) throws {
    let store = flags.contains("--store") ? [] : try Self.standardStore()
    let isCluster =
      !store.isEmpty && ["reactord", "adjustable"].contains(program) && Self.testStore == "cluster"
    let secret = isCluster ? try ClusterSecret() : nil
    self.secret = secret
    var started: [(process: ChildProcess, url: URL)] = []
    for index in 0..<(isCluster ? 3 : 1) {
      let node = secret.map { $0.flags + ["--cluster-node", "n\(index + 1)"] } ?? []
      started.append(
        try Self.start(store + node + flags, program: program, environment, under: tracer))
    }
    process = started[0].process
    others = started.dropFirst().map(\.process)
    let ports = started.compactMap { $0.url.port.flatMap { UInt16(exactly: $0) } }
    proxy = isCluster ? try RoundRobinProxy(ports) : nil
    port = proxy?.port ?? ports.first ?? 0
    url = proxy.map { "http://127.0.0.1:\($0.port)" } ?? started[0].url.absoluteString
  }

  /// Starts the service and waits until it accepts connections.
  private static func start(
    _ flags: [String], program: String, _ environment: [String: String], under tracer: [String]
  ) throws -> (process: ChildProcess, url: URL) {
    // Start the service unsupervised: tests signal and inspect the process that serves.
    let process = try launch(
      ["serve", "--listen", "127.0.0.1:0"] + flags, program: program,
      environment: ["REACTORD_SUPERVISE": "false"].merging(longTimeLimits) { $1 }
        .merging(environment) { $1 }, under: tracer)
    guard let line = process.firstLine() else {
      _ = try? process.wait()
      throw ChildProcess.Failure(
        description: "The service did not start. It said: \(process.standardError)")
    }
    guard let address = line.split(separator: " ").last, let url = URL(string: String(address)),
      url.port != nil
    else {
      throw ChildProcess.Failure(description: "The first line has no address: \(line)")
    }
    return (process, url)
  }

  /// Time limits that expire neither on a busy machine nor while the machine stalls.
  ///
  /// A test of a time limit sets it with a flag.
  static let longTimeLimits = [
    "REACTORD_ACTIONS_WAIT": "300", "REACTORD_CLUSTER_WAIT": "120", "REACTORD_LIMITS_HEAD": "600",
    "REACTORD_LIMITS_IDLE": "600", "REACTORD_LIMITS_TRANSFER": "600",
    "REACTORD_SHUTDOWN_GRACE": "120",
  ]

  private static let testStore = ProcessInfo.processInfo.environment["REACTORD_TEST_STORE"]

  /// The store of tests that do not select one.
  ///
  /// `REACTORD_TEST_STORE` selects it: `postgres` is a schema of its own at one PostgreSQL, `cluster` is three
  /// nodes on one. The default is `memory`.
  private static func standardStore() throws -> [String] {
    switch testStore {
    case "postgres", "cluster": try newDatabase()
    default: ["--store", "memory"]
    }
  }

  /// The flags of an empty store in PostgreSQL: at a server, or at the one that the tests share.
  static func newDatabase(at server: PostgresServer? = nil) throws -> [String] {
    let server = try server ?? PostgresServer.shared.get()
    return ["--store", server.url(), "--cluster-name", PostgresServer.newSchema()]
  }

  /// Starts the service with some flags.
  convenience init(_ flags: String..., program: String = "reactord") throws {
    try self.init(flags, program: program)
  }

  /// Runs the service with any arguments.
  ///
  /// A program without a path is the one that was built with the tests. `REACTORD_PROGRAM` selects another
  /// `reactord`, and the other programs in its folder.
  static func launch(
    _ arguments: [String], program: String = "reactord", environment: [String: String] = [:],
    under tracer: [String] = [], in folder: String? = nil
  ) throws -> ChildProcess {
    let tracer = folder.map { ["/usr/bin/env", "--chdir", $0] } ?? tracer
    let words = try tracer + [path(of: program)] + arguments
    return try ChildProcess(words[0], Array(words.dropFirst()), environment: environment)
  }

  /// Returns the path of a program.
  static func path(of program: String = "reactord") throws -> String {
    if program.contains("/") { return program }
    if let path = ProcessInfo.processInfo.environment["REACTORD_PROGRAM"] {
      if program == "reactord" { return path }
      let other = URL(fileURLWithPath: path).deletingLastPathComponent().appending(path: program)
        .path
      if FileManager.default.isExecutableFile(atPath: other) { return other }
    }
    return "\(try productsDirectory())/\(program)"
  }

  /// The folder of the tests' and the service's executables.
  static func productsDirectory() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      .split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 }
  }

  var standardError: String { process.standardError }

  /// Sends SIGTERM, and waits until the service has ended.
  @discardableResult
  func stop() throws -> ChildProcess.Exit {
    for process in [process] + others { process.signal(SIGTERM) }
    for process in others { try process.wait() }
    return try process.wait()
  }

  /// A client with a new connection.
  func client() -> HTTPClient {
    HTTPClient(port: port)
  }

  /// A session with a new id, and a client.
  func session(of reactor: String) -> SessionClient {
    let number = Self.sessions.add(1, ordering: .relaxed).newValue
    return SessionClient(client(), "/v1/reactors/\(reactor)/sessions/test-\(number)")
  }

  private static let sessions = Atomic(0)
}
