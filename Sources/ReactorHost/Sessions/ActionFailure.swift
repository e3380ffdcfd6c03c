internal import ReactorCoding
internal import ReactorCore

/// An error of `mutate` as far as a client is told of it: what is left of it once it is stored.
public struct ActionFailure: Equatable, Codable, Sendable {
  /// What an `ActionError` says.
  public struct Reason: Equatable, Codable, Sendable {
    /// The HTTP status.
    public let status: Int

    /// A short sentence for people.
    public let title: String

    /// What happened this time.
    public let detail: String?
  }

  /// Which action of an array it was; `nil` where a single one was sent.
  public let index: Int?

  /// What the reactor says; `nil` where it says nothing to clients.
  public let reason: Reason?

  /// Takes from an error what clients are told.
  public init(index: Int?, _ error: any Error) {
    self.index = index
    reason = (error as? any ActionError).map {
      Reason(status: $0.status, title: $0.title, detail: $0.detail)
    }
  }

  /// Reads what ``json`` has written; `nil` for anything else.
  public init?(json: [UInt8]) {
    guard let failure = try? JSONCoder.decode(Self.self, from: json) else { return nil }
    self = failure
  }

  /// The failure as JSON.
  public var json: [UInt8] {
    (try? JSONCoder.encode(self)) ?? Array("{}".utf8)
  }

  /// An error that clients are told the same of.
  public var error: any Error {
    guard let reason else { return UnexplainedFailure() }
    return RecordedError(status: reason.status, title: reason.title, detail: reason.detail)
  }
}

/// What a reactor has said of a failure, once the error itself is gone.
private struct RecordedError: ActionError {
  let status: Int
  let title: String
  let detail: String?
}

/// A failure of which clients are told nothing but that it was one.
private struct UnexplainedFailure: Error {}
