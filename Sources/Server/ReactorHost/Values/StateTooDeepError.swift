public import ReactorCore

/// The error of an action whose mutation, or the State after it, would have too many nested arrays
/// and objects as JSON, so that it could not be decoded again.
public struct StateTooDeepError: ActionError, Equatable {
  /// The maximum depth.
  public let limit: Int

  /// Creates an error.
  public init(limit: Int) {
    self.limit = limit
  }

  /// 507: the session has no space for the change.
  public var status: Int { 507 }

  /// A short sentence for people.
  public var title: String { "The State would be nested too deep" }

  /// The limit.
  public var detail: String? {
    """
    The mutation, or the State after it, would have more than \(limit) nested arrays and objects as \
    JSON. The mutation was rejected.
    """
  }
}
