import Foundation
import PostgresServers

/// The release daemon on a free loopback port, with its default limits and a durable store; or several
/// nodes of a cluster.
final class Daemon {
  /// A token with every right, in the file `FOLDER/tokens` of each daemon.
  static let token = "the-token-of-the-campaign"

  private let nodes: [DaemonProcess]
  private let database: PostgresServer?
  private let folder: URL

  /// Starts the daemon with additional flags.
  init(program: URL, flags: [String] = [], nodes count: Int = 1) throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "hostile-\(UUID().uuidString)")
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try "\(Self.token) admin as=abusive\n".write(
      to: folder.appending(path: "tokens"), atomically: true, encoding: .utf8)
    try ForgedTokens.keys.write(
      to: folder.appending(path: "keys"), atomically: true, encoding: .utf8)
    let secret = folder.appending(path: "secret")
    try "a secret of more than 32 bytes for the campaign".write(
      to: secret, atomically: true, encoding: .utf8)
    let database = count > 1 ? try PostgresServer() : nil
    self.database = database
    nodes = try (1...count).map { number in
      let store =
        database.map {
          [
            "--store", $0.url(), "--cluster-node", "n\(number)", "--cluster-listen",
            "127.0.0.1:0", "--cluster-secret", secret.path,
          ]
        } ?? ["--store", "sqlite:\(folder.path)/log.db"]
      return try DaemonProcess(
        program,
        store + flags.map { $0.replacingOccurrences(of: "FOLDER", with: folder.path) })
    }
    if count > 1 { try waitUntilReady() }
  }

  /// The port for well-behaved clients.
  var port: UInt16 { nodes[0].port }

  /// The port for abusive clients.
  var abusedPort: UInt16 { nodes[nodes.count - 1].port }

  var isRunning: Bool { nodes.allSatisfy(\.isRunning) }

  /// The largest resident memory of a node so far, in bytes.
  var peakMemory: Int { nodes.map(\.peakMemory).max() ?? 0 }

  /// The resident memory of the node that is abused, in bytes.
  var memory: Int { nodes[nodes.count - 1].memory("VmRSS:") }

  /// The size of the store, in bytes.
  var storeSize: Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.reduce(0) { sum, name in
      let path = folder.appending(path: name).path
      return sum + ((try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0)
    }
  }

  /// The CPU time that the daemon has used, in seconds.
  var cpuTime: Double { nodes.reduce(0) { $0 + $1.cpuTime } }

  /// Ends the daemon and deletes its store.
  func stop() {
    for node in nodes { node.stop() }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Waits until each node reports all nodes as ready.
  private func waitUntilReady() throws {
    let expected = "reactord_cluster_ready_nodes \(nodes.count)\n"
    for node in nodes {
      let isReady = (0..<3_000).contains { _ in
        let connection = Connection(to: .init(port: node.port, source: 1))
        let body = connection?.exchange("GET", "/metrics")?.body ?? []
        if String(decoding: body, as: UTF8.self).contains(expected) { return true }
        Clock.pause(0.01)
        return false
      }
      guard isReady else { throw HostileError("the nodes did not find each other") }
    }
  }
}

/// A process of the daemon.
private final class DaemonProcess {
  let port: UInt16
  private let process = Process()

  init(_ program: URL, _ flags: [String]) throws {
    process.executableURL = program
    process.arguments =
      [
        "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--supervise", "false",
        "--limits-memory", "805306368",
      ] + flags
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = ""
    while !line.contains("\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw HostileError("the daemon did not start") }
      line += String(decoding: data, as: UTF8.self)
    }
    guard
      let port = line.split(separator: ":").last.flatMap({ UInt16($0.prefix(while: \.isNumber)) })
    else { throw HostileError("the daemon did not print its address: \(line)") }
    self.port = port
  }

  var isRunning: Bool { process.isRunning }

  var peakMemory: Int { memory("VmHWM:") }

  func memory(_ name: String) -> Int {
    let text =
      try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix(name) }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
  }

  var cpuTime: Double {
    let text = try? String(
      contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
    // The name in parentheses can contain spaces. User and system time are the fields 14 and 15.
    let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
      return 0
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  func stop() {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}

/// The reason for which the campaign cannot be run.
struct HostileError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
