/// Where the inner targets write what they have to say; how it looks is decided outside.
///
/// A copy is cheap and may be used on any thread. A line below `level` costs one comparison: its
/// message and fields are not even built.
public struct Logger: Sendable {
  /// What takes the lines: level, message, and fields in the order in which they are to be shown.
  ///
  /// It is called on the thread that logs, concurrently, and should not block for long.
  public typealias Handler = @Sendable (LogLevel, String, [(String, String)]) -> Void

  /// Lines that matter less than this are dropped.
  public let level: LogLevel

  private let handler: Handler

  /// Makes a logger that gives every line at or above `level` to `handler`.
  public init(level: LogLevel, handler: @escaping Handler) {
    self.level = level
    self.handler = handler
  }

  /// A logger whose lines go nowhere, for tests and for hosts that are embedded.
  public static let silent = Logger(level: .error) { _, _, _ in }

  /// Writes one line.
  ///
  /// The message is a constant sentence without a full stop; whatever varies is a field, so that
  /// lines can be searched by machine: `logger.info("session ended", ["session": id])`.
  public func log(
    _ level: LogLevel, _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    guard level >= self.level else { return }
    handler(level, message(), fields().map { ($0.key, $0.value) })
  }

  /// Writes one line whose fields are not known before it is written.
  public func log(
    _ level: LogLevel, _ message: @autoclosure () -> String,
    fields: @autoclosure () -> [(String, String)]
  ) {
    guard level >= self.level else { return }
    handler(level, message(), fields())
  }

  /// Writes a line of level `trace`.
  public func trace(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    log(.trace, message(), fields())
  }

  /// Writes a line of level `debug`.
  public func debug(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    log(.debug, message(), fields())
  }

  /// Writes a line of level `info`.
  public func info(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    log(.info, message(), fields())
  }

  /// Writes a line of level `warning`.
  public func warning(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    log(.warning, message(), fields())
  }

  /// Writes a line of level `error`.
  public func error(
    _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    log(.error, message(), fields())
  }
}
