/// A machine that keeps one event stream open at a time.
///
/// A driver opens the connections that the machine requests, and passes on their bytes with the number
/// of the stream.
package protocol StreamReading: Sendable {
  /// An instruction to the driver.
  associatedtype Output: Sendable

  /// When to call ``wake(now:)`` next, or `nil` for never.
  var deadline: Duration? { get }

  /// The part of an output that concerns the connection, or `nil` for any other output.
  static func step(of output: Output) -> StreamStep?

  /// Continues after ``deadline``.
  mutating func wake(now: Duration) -> [Output]

  /// Handles the head of a successful response.
  mutating func opened(stream: Int, _ head: TransportHead, now: Duration) -> [Output]

  /// Handles the complete response of a request that was rejected.
  mutating func rejected(stream: Int, _ response: TransportResponse, now: Duration) -> [Output]

  /// Handles bytes of the body.
  mutating func received(stream: Int, _ bytes: ArraySlice<UInt8>, now: Duration) -> [Output]

  /// Handles the end of the connection; `problem` is `nil` if the server ended the response.
  mutating func closed(stream: Int, _ problem: Problem?, now: Duration) -> [Output]

  /// Opens the stream again with the current token, since the server has not replaced the former one.
  mutating func credentialRejected(stream: Int, now: Duration) -> [Output]
}

/// An instruction that concerns the connection of a stream.
package enum StreamStep: Sendable {
  /// Make this request and pass on its response. At most one stream is open.
  case open(TransportRequest, stream: Int)

  /// Close the open stream.
  case close

  /// Discard the access token.
  case renewToken

  /// Make this request, which replaces the credential of the open stream by the current token, and report a failure.
  case replaceCredential(TransportRequest, stream: Int)
}

extension StreamMachine: StreamReading {
  package static func step(of output: Output) -> StreamStep? {
    switch output {
    case .open(let request, let stream): .open(request, stream: stream)
    case .close: .close
    case .renewToken: .renewToken
    case .replaceCredential(let request, let stream): .replaceCredential(request, stream: stream)
    case .status, .update, .check, .overflow: nil
    }
  }
}

extension EventFeed: StreamReading {
  package static func step(of output: Output) -> StreamStep? {
    switch output {
    case .open(let request, let stream): .open(request, stream: stream)
    case .close: .close
    case .renewToken: .renewToken
    case .replaceCredential(let request, let stream): .replaceCredential(request, stream: stream)
    case .status, .events: nil
    }
  }
}
