internal import ClientCore
internal import Glibc

/// `reactord changes URL`: prints one line per change of a server, and continues from the position in a
/// file.
public struct ChangesCommand: Equatable, Sendable {
  /// The URL of the server, whose path is the path prefix of a proxy.
  private let server: ServerURL
  /// The parameters of the stream, beginning with `&`.
  private let query: String
  /// The file with the id of the last printed change, or `nil` for none.
  private let positionFile: String?
  private let fields: RequestFields

  /// Creates the command, or returns `nil` if the URL is not the one of a server.
  ///
  /// - Parameters:
  ///   - url: The URL of the server.
  ///   - reactor: Only changes of this reactor, or `nil` for all.
  ///   - session: Only changes of this session of the reactor, or `nil` for all.
  ///   - content: `entries` or `state`, for the additional data, or `nil` for none.
  ///   - positionFile: The file with the position; with `nil` the output begins with the next
  ///     change.
  ///   - fields: The fields of its requests.
  package init?(
    url: String, reactor: String?, session: String?, content: String?, positionFile: String?,
    fields: RequestFields
  ) {
    guard let server = ServerURL(url), !server.path.contains("?") else { return nil }
    self.server = server
    query = [("reactor", reactor), ("session", session), ("with", content)]
      .compactMap { name, value in value.map { "&\(name)=\($0)" } }.joined()
    self.positionFile = positionFile
    self.fields = fields
  }

  /// Prints changes until the process is ended, and reconnects when the connection is lost.
  ///
  /// - Throws: A failure if the server rejects the request or cannot be reached at the start, or if the
  ///   output or the file cannot be written.
  package func execute() throws(CommandFailure) {
    let position = try storedPosition()
    var printer = ChangePrinter(file: positionFile)
    var connection = ConnectionReport()
    // After a reconnection the id of the last event is sent, which takes precedence over `after`.
    let query = position == "0" ? query + "&after=0" : query
    let feed = EventFeed(
      path: "v1/changes/events" + (query.isEmpty ? "" : "?" + query.dropFirst()),
      after: position == "0" ? nil : position)
    let runner = StreamRunner(
      feed, to: HTTPOrigin(server.address, isSecure: server.isSecure, prefix: server.path),
      adding: fields
    ) { (_, output) throws(CommandFailure) in
      switch output {
      case .events(let events): try printer.print(events)
      case .status(.ended(let problem)): throw .rejected(problem.description)
      case .status(let status):
        if status == .live { printer.hasBegun = true }
        try connection.changed(status, hasBegun: printer.hasBegun)
      case .open, .close, .renewToken, .replaceCredential: break
      }
      return []
    }
    try runner.executeUntilIdle { $0.start(now: $1) }
  }

  /// Returns the id in the file, `0` if the file does not exist or is empty, or `nil` without a file.
  private func storedPosition() throws(CommandFailure) -> String? {
    guard let positionFile else { return nil }
    let descriptor = unsafe open(positionFile, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      guard errno == ENOENT else {
        throw CommandFailure("cannot read the file \"\(positionFile)\"", exitCode: EX_NOINPUT)
      }
      // The first run begins with the oldest retained change.
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
}

/// Prints changes and stores the position after them.
private struct ChangePrinter {
  private let output = StandardOutput()
  private let file: String?
  /// Whether the stream was open.
  var hasBegun = false

  init(file: String?) {
    self.file = file
  }

  /// Prints events that arrived together, and then stores the position: after a crash some changes
  /// are printed again, but none is lost.
  mutating func print(_ events: [EventParser.Event]) throws(CommandFailure) {
    var last: String?
    for event in events {
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
    if let file { try store(last, in: file) }
  }

  /// Replaces the file atomically: after a crash it contains the old position or the new one.
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
