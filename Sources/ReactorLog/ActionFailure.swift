internal import ReactorCoding

/// The part of an action's error that is stored and shown to clients.
public struct ActionFailure: Equatable, Codable, Sendable {
  /// The reactor's description for clients.
  public struct Reason: Equatable, Codable, Sendable {
    /// The HTTP status.
    public let status: Int

    /// A short sentence for people.
    public let title: String

    /// The circumstances of this failure.
    public let detail: String?

    /// Creates a description.
    public init(status: Int, title: String, detail: String?) {
      self.status = status
      self.title = title
      self.detail = detail
    }
  }

  /// The index of the action in its array; `nil` for a single action.
  public let index: Int?

  /// The description for clients; `nil` if the reactor has none.
  public let reason: Reason?

  /// Creates a failure.
  public init(index: Int?, reason: Reason?) {
    self.index = index
    self.reason = reason
  }

  /// Decodes the output of ``json``; `nil` for any other bytes.
  public init?(json: [UInt8]) {
    guard let failure = try? JSONCoder.decode(Self.self, from: json) else { return nil }
    self = failure
  }

  /// The failure as JSON.
  public var json: [UInt8] {
    (try? JSONCoder.encode(self)) ?? Array("{}".utf8)
  }
}
