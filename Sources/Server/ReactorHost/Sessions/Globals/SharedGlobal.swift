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

  /// Sets the value from JSON.
  ///
  /// - Parameters:
  ///   - json: The value.
  ///   - condition: Whether the value replaces that at a cursor: else `completion` gets `LogError.conflict`, which
  ///     nothing else fails with. Called again if another process was first.
  ///   - completion: Called when the value is set and committed, or was rejected. Any thread, the
  ///     calling one included.
  /// - Throws: ``ActionDecodingError``; `completion` is not called then.
  func set(
    json: [UInt8], where condition: @escaping @Sendable (Cursor) -> Bool,
    completion: @escaping @Sendable (Result<CommittedState, LogError>) -> Void
  ) throws(ActionDecodingError)

  /// Stores the value in a log from now on, and restores the value that the log has.
  func keep(in log: any MutationLog, logger: Logger)
}
