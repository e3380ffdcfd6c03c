internal import Synchronization

/// Passes log lines to a handler, which decides their format.
///
/// A copy is cheap and may be used on any thread. A line below `level` costs one comparison: its
/// message and fields are not evaluated.
public struct Logger: Sendable {
  /// Receives a line: level, message, and fields in the order of their output.
  ///
  /// Called concurrently, on the thread that logs; it should not block for long.
  public typealias Handler = @Sendable (LogLevel, String, [(String, String)]) -> Void

  /// The minimum level of a logger and its copies.
  ///
  /// It may change at run time; a change applies to the lines after it, without ordering guarantees.
  public final class Threshold: Sendable {
    private let severity: Atomic<Int>

    /// Creates a threshold.
    public init(_ level: LogLevel) { severity = Atomic(level.severity) }

    /// The minimum level.
    public var level: LogLevel {
      get { LogLevel.allCases[severity.load(ordering: .relaxed)] }
      set { severity.store(newValue.severity, ordering: .relaxed) }
    }

    func allows(_ level: LogLevel) -> Bool {
      level.severity >= severity.load(ordering: .relaxed)
    }
  }

  /// The minimum level, shared with copies of this logger.
  public let threshold: Threshold

  private let handler: Handler

  /// The minimum level.
  public var level: LogLevel { threshold.level }

  /// Returns whether a line of a level is written.
  public func writes(_ level: LogLevel) -> Bool { threshold.allows(level) }

  /// Creates a logger that passes the lines of at least a level to a handler.
  public init(level: LogLevel, handler: @escaping Handler) {
    self.init(threshold: Threshold(level), handler: handler)
  }

  /// Creates a logger that shares the threshold of another one.
  public init(threshold: Threshold, handler: @escaping Handler) {
    self.threshold = threshold
    self.handler = handler
  }

  /// Returns a logger that adds fields in front of those of each line.
  public func adding(_ fields: KeyValuePairs<String, String>) -> Logger {
    let fields = fields.map { ($0.key, $0.value) }
    return Logger(threshold: threshold) { [handler] level, message, others in
      handler(level, message, fields + others)
    }
  }

  /// A logger without output, for tests and for embedded hosts.
  public static let silent = Logger(level: .error) { _, _, _ in }

  /// Writes one line.
  ///
  /// The message is a constant sentence without a full stop; whatever varies is a field, so that
  /// lines can be searched by machine: `logger.info("session ended", ["session": id])`.
  public func log(
    _ level: LogLevel, _ message: @autoclosure () -> String,
    _ fields: @autoclosure () -> KeyValuePairs<String, String> = [:]
  ) {
    guard threshold.allows(level) else { return }
    handler(level, message(), fields().map { ($0.key, $0.value) })
  }

  /// Writes one line whose fields are computed when it is written.
  public func log(
    _ level: LogLevel, _ message: @autoclosure () -> String,
    fields: @autoclosure () -> [(String, String)]
  ) {
    guard threshold.allows(level) else { return }
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
