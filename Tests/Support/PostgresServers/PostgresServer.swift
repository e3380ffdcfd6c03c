import Commands
import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server in a temporary folder, which accepts connections at a socket in it.
///
/// `postgres` rejects root: then it runs as the user `postgres`, which Debian's package makes. The
/// server ends, and its folder is removed, when the object is released, and when this process ends in any way.
public final class PostgresServer: Sendable {
  /// An error of a program.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason, with the output of the program.
    public let description: String
  }

  /// The server of all tests of this process that do not disturb it.
  public static let shared = Result { try PostgresServer() }

  private static let stores = Atomic(0)

  private let folder: String
  private let programs: String
  private let settings: [String: String]
  /// The server while it runs.
  private let lifeline = Mutex<Lifeline?>(nil)

  /// Creates a database and starts its server.
  ///
  /// - Parameter settings: Settings of the server.
  /// - Throws: If there is no PostgreSQL, or it does not start.
  public init(_ settings: [String: String] = [:]) throws {
    self.settings = settings
    programs = try Self.findPrograms()
    var name = Array("\(NSTemporaryDirectory())/postgres-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else { throw Failure(description: "no temporary folder") }
    folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try Self.handOver(folder)
    let created = try Command(
      Self.asServer + [
        "\(programs)/initdb", "-D", "\(folder)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
        "--locale=C.UTF-8", "--no-sync",
      ])
    guard created.status == 0 else {
      throw Failure(description: "initdb: \(String(decoding: created.errors, as: UTF8.self))")
    }
    try start()
  }

  deinit { end() }

  /// The address of a database.
  public func url(_ database: String = "postgres") -> String {
    "postgres://postgres@/\(database)?host=\(folder)"
  }

  /// The path of the socket at which the server accepts connections.
  public var socket: String { "\(folder)/.s.PGSQL.5432" }

  /// The name of a schema that no other test uses.
  public static func newSchema() -> String {
    "test_\(stores.add(1, ordering: .relaxed).newValue)"
  }

  /// The id of the server's process, or `nil` if it is not running.
  public var id: Int32? {
    let text = try? String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
    return text?.split(separator: "\n").first.flatMap { Int32($0) }
  }

  /// The output of the server so far.
  public var output: String {
    (try? String(contentsOfFile: "\(folder)/output", encoding: .utf8)) ?? ""
  }

  /// Ends the server and its backends immediately, as a crash would, and waits for their end.
  public func kill() throws {
    guard let id else { return }
    let children = try Command(["pgrep", "-P", "\(id)"]).output
    // The server first: it would replace its backends.
    let processes =
      [id]
      + String(decoding: children, as: UTF8.self).split(separator: "\n").compactMap { pid_t($0) }
    for process in processes { _ = Glibc.kill(process, SIGKILL) }
    guard Self.eventually({ processes.allSatisfy { Glibc.kill($0, 0) != 0 } }) else {
      throw Failure(description: "the server does not end")
    }
    _ = FileManager.default.createFile(atPath: "\(folder)/keep", contents: nil)
    end()
  }

  /// Stops the execution of the server and its backends; ``resume()`` continues it.
  public func pause() throws { try signalAll("STOP") }

  /// Continues the execution.
  public func resume() throws { try signalAll("CONT") }

  private func signalAll(_ signal: String) throws {
    guard let id else { return }
    _ = try Command(["pkill", "-\(signal)", "-P", "\(id)"])
    _ = try Command(["kill", "-\(signal)", "\(id)"])
  }

  /// Executes SQL with psql, and returns its output.
  @discardableResult
  public func query(_ sql: String, at database: String = "postgres") throws -> String {
    let result = try Command(
      ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", url(database), "-c", sql])
    guard result.status == 0 else {
      throw Failure(description: String(decoding: result.errors, as: UTF8.self))
    }
    return String(decoding: result.output, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Starts the server and waits until it accepts connections; also again after ``kill()``.
  public func start() throws {
    var words = [
      "\(programs)/postgres", "-D", "\(folder)/data", "-k", folder, "-c", "listen_addresses=",
      "-c", "fsync=off", "-c", "max_connections=300", "-c", "shared_buffers=64MB",
    ]
    for (name, value) in settings { words += ["-c", "\(name)=\(value)"] }
    let started = try Lifeline(
      Self.asServer + words, output: "\(folder)/output",
      afterwards: "[[ -e '\(folder)/keep' ]] || rm -rf '\(folder)'")
    lifeline.withLock { $0 = started }
    let isReady = Self.eventually { (try? query("select 1")) == "1" }
    unlink("\(folder)/keep")
    guard isReady else { throw Failure(description: "the server does not start: \(output)") }
  }

  /// Ends the server and the script, which removes the folder unless the server starts again.
  private func end() {
    lifeline.withLock { $0.take() }?.end()
  }

  /// Changes the owner of a folder to the user of the server.
  public static func handOver(_ folder: String) throws {
    guard geteuid() == 0 else { return }
    guard let user = getpwnam("postgres") else {
      throw Failure(description: "root cannot run PostgreSQL, and there is no user postgres")
    }
    chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
  }

  /// Waits for a condition that has no signal: programs that measure link no library of tests.
  private static func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<20_000 {
      if condition() { return true }
      usleep(5_000)
    }
    return false
  }

  /// The words before a program that root runs as the user of the server.
  public static var asServer: [String] {
    geteuid() == 0
      ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : []
  }

  /// The folder of `postgres` and `initdb`: that of the latest version.
  public static func findPrograms() throws -> String {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    guard let latest = versions.compactMap({ Int($0) }).max() else {
      throw Failure(
        description: "there is no PostgreSQL in \(root): config/install-packages test installs it")
    }
    return "\(root)/\(latest)/bin"
  }
}
