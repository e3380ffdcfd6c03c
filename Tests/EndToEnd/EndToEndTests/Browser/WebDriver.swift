import Foundation

/// A chromedriver process, and a client of the WebDriver protocol (W3C).
///
/// Confined to one thread. The process ends with its owner.
final class WebDriver {
  /// An error response, or one that cannot be parsed.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Longer than the time limits of the session, so that the driver reports what took too long.
  private static let timeout = Connection.timeout * 2

  private let process: ChildProcess
  private let client: HTTPClient

  /// Starts the driver on a free port.
  init() throws {
    // chromedriver binds a free IPv4 port and then the same IPv6 port, which can be in use.
    var started = try Self.start()
    for _ in 0..<3 where started.port == nil { started = try Self.start() }
    guard let port = started.port else {
      throw Failure(
        description: "chromedriver did not start. Its output: \(started.process.standardError)")
    }
    process = started.process
    client = HTTPClient(port: port)
  }

  private static func start() throws -> (process: ChildProcess, port: UInt16?) {
    let process = try ChildProcess(executable(), ["--port=0"])
    let port = Watched<UInt16?>(nil)
    _ = eventually {
      port.change { $0 = Self.port(in: process.standardOutput) }
      return port.current != nil || !process.isRunning
    }
    return (process, port.current)
  }

  /// Sends a command.
  func send(_ method: String, _ path: String, _ body: JSON? = nil) throws -> JSON {
    try client.start(
      method, path, ["Content-Type": "application/json"], body: try body.map { try $0.bytes })
    let reply = try client.response(to: method, until: .now + Self.timeout)
    let value = try reply.json["value"] ?? .null
    guard reply.status == 200 else {
      let reason = value["message"]?.string?.split(separator: "\n").first ?? "no reason"
      throw Failure(description: "\(method) \(path): \(reason)")
    }
    return value
  }

  // MARK: Starting

  private static func executable() throws -> String {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let paths = folders.map { "\($0)/chromedriver" }
    guard let path = paths.first(where: FileManager.default.isExecutableFile) else {
      throw Failure(
        description: """
          There is no chromedriver on the PATH. Install the section [test] of \
          config/debian-packages.txt, as make test does.
          """)
    }
    return path
  }

  /// The port in the output line `… was started successfully on port 45123`.
  private static func port(in output: String) -> UInt16? {
    guard let range = output.range(of: "started successfully on port "),
      let end = output[range.upperBound...].firstIndex(of: ".")
    else { return nil }
    return UInt16(output[range.upperBound..<end])
  }
}

extension JSON {
  /// The serialized value.
  fileprivate var bytes: [UInt8] {
    get throws {
      Array(try JSONSerialization.data(withJSONObject: plain, options: [.fragmentsAllowed]))
    }
  }

  private var plain: Any {
    switch self {
    case .null: NSNull()
    case .bool(let value): value
    case .number(let value): value
    case .string(let value): value
    case .array(let values): values.map(\.plain)
    case .object(let members): members.mapValues(\.plain)
    }
  }
}
