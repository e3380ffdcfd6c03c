import Foundation
import Synchronization

/// The real service, in a process of its own.
final class ReactordProcess: Sendable {
  /// One that every test may use that is content with the defaults; each takes sessions of its own.
  static let shared = Result { try ReactordProcess() }

  let process: ChildProcess
  let port: UInt16
  /// The address as the service printed it.
  let url: String

  /// Starts the service on a free port and waits until it accepts connections; with a tracer, which
  /// is a program and its arguments, that becomes the service.
  init(
    _ flags: [String], program: String = "reactord", environment: [String: String] = [:],
    under tracer: [String] = []
  ) throws {
    process = try Self.launch(
      ["serve", "--listen", "127.0.0.1:0", "--store", "memory"] + flags, program: program,
      environment: environment, under: tracer)
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

  /// Starts the service with some flags.
  convenience init(_ flags: String..., program: String = "reactord") throws {
    try self.init(flags, program: program)
  }

  /// Runs the service with any arguments, as a shell would.
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

  /// Where the tests themselves were built, and with them, in the same way, the service.
  static func productsDirectory() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      .split(separator: "/").dropLast().reduce(into: "") { $0 += "/" + $1 }
  }

  var standardError: String { process.standardError }

  /// Asks the service to end, and waits until it has.
  @discardableResult
  func stop() throws -> ChildProcess.Exit {
    process.signal(SIGTERM)
    return try process.wait()
  }

  /// A client with a connection of its own.
  func client() -> HTTPClient {
    HTTPClient(port: port)
  }

  /// A session that no other test knows, with a client.
  func session(of reactor: String) -> SessionClient {
    let number = Self.sessions.add(1, ordering: .relaxed).newValue
    return SessionClient(client(), "/v1/reactors/\(reactor)/sessions/test-\(number)")
  }

  private static let sessions = Atomic(0)
}
