/// The failure of an action that no request waited for, such as that of a timer.
///
/// It is stored until the action runs again, the failure is dismissed, or its session ends.
public struct StoredFailure: Equatable, Sendable {
  /// The maximum number of stored failures per reactor; a further one replaces the oldest.
  public static let limit = 100

  /// The name of the failure, unique in the store.
  public let id: String

  /// The id of the session.
  public let session: String

  /// The time of the failure.
  public let at: Timestamp

  /// The action, as JSON.
  public let action: [UInt8]

  /// The principal of its request, as JSON, or `nil` for none.
  public let principal: [UInt8]?

  /// The context of its request, as JSON, or `nil` for none.
  public let context: [UInt8]?

  /// The error.
  public let failure: ActionFailure

  /// Creates a failure.
  public init(
    id: String, session: String, at: Timestamp, action: [UInt8], principal: [UInt8]? = nil,
    context: [UInt8]? = nil, failure: ActionFailure
  ) {
    self.id = id
    self.session = session
    self.at = at
    self.action = action
    self.principal = principal
    self.context = context
    self.failure = failure
  }
}
