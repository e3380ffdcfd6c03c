/// What a transport sends back for one request.
public struct HTTPResponse: Sendable {
  /// What follows the head.
  public enum Body: Sendable {
    /// Nothing. `Content-Length: 0` is written where the status allows a body.
    case empty

    /// These bytes, with their `Content-Length`.
    case bytes([UInt8])

    /// A stream that goes on until it finishes or the client leaves.
    case stream(any ByteStream)
  }

  /// The status code.
  public var status: Int

  /// The fields to send, beside those of the framing (`Date`, `Content-Length`,
  /// `Transfer-Encoding`, `Connection`), which are the transport's.
  public var headers: HTTPFields

  /// The body.
  ///
  /// For a `HEAD` request the transport sends its head alone and never opens a stream.
  public var body: Body

  /// The kind of the problem that this is; `nil` for what is none.
  var problemKind: ProblemKind?

  /// Makes a response.
  public init(
    status: Int, headers: HTTPFields = [:], body: Body = .empty
  ) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
