internal import ClientCore
internal import Glibc

/// `reactord changes URL`: prints one line per change of a server, and continues from the position in a
/// file.
public struct ChangesCommand: Equatable, Sendable {
  /// The server; its path is the prefix of a proxy.
  private let server: ServerURL
  /// The parameters of the stream, beginning with `&`.
  private let query: String
  /// The file with the id of the last printed change; `nil` for none.
  private let positionFile: String?

  /// The time limit for the next byte of a stream, in seconds; the server sends comments more often.
  private static let timeout = 90

  /// Creates the command; `nil` if the URL is not the one of a server.
  ///
  /// - Parameters:
  ///   - url: The URL of the server.
  ///   - reactor: Only changes of this reactor; `nil` for all.
  ///   - session: Only changes of this session of the reactor; `nil` for all.
  ///   - content: `entries` or `state`, for the additional data; `nil` for none.
  ///   - positionFile: The file with the position; `nil` begins with the next change.
  package init?(
    url: String, reactor: String?, session: String?, content: String?, positionFile: String?
  ) {
    guard let server = ServerURL(url), !server.path.contains("?") else { return nil }
    self.server = server
    query = [("reactor", reactor), ("session", session), ("with", content)]
      .compactMap { name, value in value.map { "&\(name)=\($0)" } }.joined()
    self.positionFile = positionFile
  }

  /// Prints changes until the process is ended, and reconnects when the connection is lost.
  ///
  /// - Throws: A failure if the server rejects the request or cannot be reached at the start, or if the
  ///   output or the file cannot be written.
  package func run() throws(CommandFailure) {
    var printer = ChangePrinter(try storedPosition(), file: positionFile)
    var schedule = RetrySchedule()
    while true {
      let count = printer.count
      let reason = try connect(&printer)
      guard printer.hasBegun else { throw .unavailable(reason) }
      if printer.count > count { schedule.reset() }
      if schedule.failures == 0 {
        StandardError.write(Array("reactord: \(reason); reconnecting\n".utf8))
      }
      schedule.pause()
    }
  }

  /// The id in the file; `nil` without a file.
  private func storedPosition() throws(CommandFailure) -> String? {
    guard let positionFile else { return nil }
    let descriptor = unsafe open(positionFile, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else {
        throw CommandFailure("cannot read the file \"\(positionFile)\"", exitCode: EX_NOINPUT)
      }
      // A forwarder that begins forwards what is retained.
      return "0"
    }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 128)
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    let text = buffer.prefix(max(0, count)).filter { $0 > 0x20 && $0 < 0x7F }
    return text.isEmpty ? "0" : String(decoding: text, as: UTF8.self)
  }

  /// Prints the changes of one connection.
  ///
  /// - Returns: The reason the connection ended.
  private func connect(_ printer: inout ChangePrinter) throws(CommandFailure) -> String {
    var fields = [(name: "Accept", value: "text/event-stream")]
    var query = query
    if let position = printer.position {
      if position == "0" { query += "&after=0" } else { fields.append(("Last-Event-ID", position)) }
    }
    let request = ClientRequest(
      method: "GET", address: server.address,
      path: trimmedPath + "/v1/changes/events" + (query.isEmpty ? "" : "?" + query.dropFirst()),
      fields: fields)
    var response = ResponseParser()
    var events = EventParser()
    var problemBody: [UInt8] = []
    do {
      let socket = try ClientSocket(to: server.address, timeout: Self.timeout)
      try socket.send(request.bytes)
      while !response.isComplete {
        let received = try socket.receive()
        let body = try response.read(received)
        if response.head?.status == 200 {
          try printer.print(try events.read(body[...]))
        } else {
          problemBody += body.prefix(65_536 - min(65_536, problemBody.count))
        }
        if received.isEmpty, !response.close() { break }
      }
    } catch let error as CommandFailure {
      throw error
    } catch let error as ClientSocket.Failure {
      return error.reason
    } catch {
      return "\(server.address) does not respond with HTTP"
    }
    return try reason(response.head?.status, problemBody)
  }

  private var trimmedPath: String {
    server.path.hasSuffix("/") ? String(server.path.dropLast()) : server.path
  }

  private func reason(_ status: Int?, _ body: [UInt8]) throws(CommandFailure) -> String {
    switch status {
    case 200: return "\(server.address) closed the connection"
    case let status?:
      let problem = Problem(status: status, body: body)
      guard problem.isTransient else { throw .rejected(problem.description) }
      return problem.description
    case nil: return "\(server.address) does not respond with HTTP"
    }
  }
}

/// Prints changes and stores the position after them.
private struct ChangePrinter {
  private let output = StandardOutput()
  private let file: String?
  /// The id of the last printed change, or the position to begin with.
  private(set) var position: String?
  /// The number of events received.
  private(set) var count = 0
  /// Whether the server has sent a stream.
  var hasBegun: Bool { count > 0 || hasOpened }
  private var hasOpened = false

  init(_ position: String?, file: String?) {
    self.position = position
    self.file = file
  }

  /// Prints the events of some bytes, and then stores the position: a crash repeats changes and loses
  /// none.
  mutating func print(_ events: [EventParser.Event]) throws(CommandFailure) {
    hasOpened = true
    var last: String?
    for event in events {
      count += 1
      switch event.name {
      case "message":
        try output.write(event.data + [UInt8(ascii: "\n")])
        last = event.id ?? last
      case "reset":
        StandardError.write(
          Array("reactord: changes are missing: they are no longer retained\n".utf8))
      default: break
      }
    }
    guard let last else { return }
    try output.flush()
    position = last
    if let file { try store(last, in: file) }
  }

  /// Replaces the file, so that a crash leaves the old position or the new one.
  private func store(_ id: String, in file: String) throws(CommandFailure) {
    let temporary = file + ".new"
    let failure = CommandFailure("cannot write the file \"\(file)\"", exitCode: EX_IOERR)
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure }
    let line = Array((id + "\n").utf8)
    let written = unsafe line.withUnsafeBytes {
      unsafe write(descriptor, $0.baseAddress, $0.count)
    }
    guard close(descriptor) == 0, written == line.count, unsafe rename(temporary, file) == 0 else {
      throw failure
    }
  }
}
