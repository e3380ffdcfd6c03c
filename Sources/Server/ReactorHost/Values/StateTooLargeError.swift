public import ReactorCore

/// The error of an action whose mutation would make the State larger than `limits.state`.
public struct StateTooLargeError: ActionError, Equatable {
  /// The size of the State, as JSON.
  public let size: Int

  /// The maximum size.
  public let limit: Int

  /// Creates an error.
  public init(size: Int, limit: Int) {
    self.size = size
    self.limit = limit
  }

  /// 507: the session has no space for the change.
  public var status: Int { 507 }

  /// A short sentence for people.
  public var title: String { "The State would be too large" }

  /// The sizes.
  public var detail: String? {
    "The State would have \(size) bytes as JSON; the limit is \(limit). The mutation was rejected."
  }
}
