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

    /// The kind of error, or `nil` if an earlier release has stored it.
    public let code: String?

    /// The values of the error, as JSON, or `nil` for none.
    public let data: String?

    /// Creates a description.
    public init(
      status: Int, title: String, detail: String?, code: String? = nil, data: String? = nil
    ) {
      self.code = code
      self.data = data
      self.status = status
      self.title = title
      self.detail = detail
    }
  }

  /// A failure that the service itself reports, with a problem of its own.
  public enum Kind: String, Codable, Sendable {
    /// The action has crashed a process, and is not executed.
    case crashed

    /// The State would be larger than the limit.
    case stateTooLarge

    /// The chain of sends between sessions is too long.
    case sendsTooDeep

    /// The text that the reactor has used as the id of another session is none.
    case invalidSessionID
  }

  /// The index of the action in its array, or `nil` for a single action.
  public let index: Int?

  /// The failure of the service, or `nil` for one of the reactor.
  public let kind: Kind?

  /// The description for clients, or `nil` if the reactor has none.
  public let reason: Reason?

  /// Creates a failure.
  public init(index: Int?, kind: Kind? = nil, reason: Reason?) {
    self.index = index
    self.kind = kind
    self.reason = reason
  }

  /// Decodes the output of ``json``, or returns `nil` for any other bytes.
  public init?(json: [UInt8]) {
    guard let failure = try? JSONCoder.decode(Self.self, from: json) else { return nil }
    self = failure
  }

  /// The failure as JSON.
  public var json: [UInt8] {
    (try? JSONCoder.encode(self)) ?? Array("{}".utf8)
  }
}
