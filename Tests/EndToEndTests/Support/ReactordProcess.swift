import Foundation
import Synchronization

/// The real service, in a process of its own.
final class ReactordProcess: Sendable {
  /// A shared service with default settings; each test uses sessions of its own.
  static let shared = Result { try ReactordProcess() }

  let process: ChildProcess
  let port: UInt16
  /// The address that the service printed.
  let url: String

  /// Starts the service on a free port and waits until it accepts connections.
  ///
  /// A tracer is a program with arguments that executes the service.
  init(
    _ flags: [String], program: String = "reactord", environment: [String: String] = [:],
    under tracer: [String] = []
  ) throws {
    // Unsupervised: tests signal and inspect the process that serves.
    process = try Self.launch(
      ["serve", "--listen", "127.0.0.1:0"] + Self.standardStore() + flags, program: program,
      environment: ["REACTORD_SUPERVISE": "false"].merging(environment) { $1 }, under: tracer)
    guard let line = process.firstLine() else {
      _ = try? process.wait()
      throw ChildProcess.Failure(
        description: "The service did not start. It said: \(process.standardError)")
    }
    guard let address = line.split(separator: " ").last, let url = URL(string: String(address)),
      let port = url.port.flatMap({ UInt16(exactly: $0) })
    else {
      throw ChildProcess.Failure(description: "The first line has no address: \(line)")
    }
    self.url = String(address)
    self.port = port
  }

  /// The store of tests that select none: memory, or one broker if `REACTORD_TEST_STORE` is `nats`, three
  /// if it is `nats3`.
  private static func standardStore() throws -> [String] {
    switch ProcessInfo.processInfo.environment["REACTORD_TEST_STORE"] {
    case "nats": try NATSStore().flags
    case "nats3": try NATSStore.onThreeBrokers().flags
    default: ["--store", "memory"]
    }
  }

  /// Starts the service with some flags.
  convenience init(_ flags: String..., program: String = "reactord") throws {
    try self.init(flags, program: program)
  }

  /// Runs the service with any arguments.
  ///
  /// A program without a path is the one that was built with the tests.
  static func launch(
    _ arguments: [String], program: String = "reactord", environment: [String: String] = [:],
    under tracer: [String] = []
  ) throws -> ChildProcess {
    let program = try program.contains("/") ? program : "\(productsDirectory())/\(program)"
    let words = tracer + [program] + arguments
    return try ChildProcess(words[0], Array(words.dropFirst()), environment: environment)
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
    process.signal(SIGTERM)
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
