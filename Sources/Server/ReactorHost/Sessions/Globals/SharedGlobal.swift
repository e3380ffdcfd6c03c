internal import ReactorLog
internal import Telemetry

/// A global as its clients know it: by name, in JSON.
public protocol SharedGlobal: StateSource {
  /// The name in addresses.
  var name: String { get }

  /// The JSON Schema of the value, as JSON.
  var schema: [UInt8] { get }

  /// Whether this release cannot decode the stored value, which stays until another one is set.
  var isUnreadable: Bool { get }

  /// Sets the value from JSON, and waits until it is committed.
  ///
  /// - Parameters:
  ///   - json: The value.
  ///   - condition: Whether the value replaces that at a cursor. Called again if another process was first.
  /// - Returns: The value and its cursor.
  /// - Throws: ``ActionDecodingError``, `LogError.conflict` if and only if the condition does not hold, or the
  ///   error with which the log rejects the value.
  func set(json: [UInt8], where condition: (Cursor) -> Bool) async throws -> CommittedState

  /// Stores the value in a log from now on, and restores the value that the log has.
  func keep(in log: any MutationLog, logger: Logger)
}
