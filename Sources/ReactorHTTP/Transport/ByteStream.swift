/// Bytes that are made once and sent to many connections.
///
/// They carry the framing of one HTTP/1.1 chunk around the payload, so that a broadcast to
/// thousands of connections frames its event once. An HTTP/1.0 connection is sent the payload only.
public struct StreamChunk: Sendable {
  /// Chunk size line, payload, line end.
  public let framed: [UInt8]

  /// Where the payload lies within `framed`.
  public let payload: Range<Int>

  /// Frames a payload, which must not be empty: an empty chunk would end the body.
  public init(_ payload: some Collection<UInt8>) {
    let size = String(payload.count, radix: 16)
    var framed: [UInt8] = []
    framed.reserveCapacity(size.utf8.count + 2 + payload.count + 2)
    framed.append(contentsOf: size.utf8)
    framed.append(contentsOf: [13, 10])
    let start = framed.count
    framed.append(contentsOf: payload)
    self.payload = start..<framed.count
    framed.append(contentsOf: [13, 10])
    self.framed = framed
  }
}

/// What a stream has for its connection right now.
public enum StreamOutput: Sendable {
  /// Send this, then ask again.
  case chunk(StreamChunk)

  /// Nothing until one of the stream's groups is woken.
  case idle

  /// The body is complete: send the last chunk and close.
  case finished
}

/// The body of a response that goes on: pulled by its connection, never pushed.
///
/// A connection asks for as much as it writes at once, and no further while its socket is full: a
/// client that does not read costs a few chunks, shared with the others, and nobody waits for it.
public protocol ByteStream: AnyObject, Sendable {
  /// The groups whose waking makes this stream's connection ask again. Read once, when the
  /// connection opens. A wake that comes before is not lost: the first `next()` comes after.
  var groups: [StreamGroup] { get }

  /// The next output. Called on the connection's loop thread only, and must not block.
  func next() -> StreamOutput

  /// What to send when nothing was sent for a heartbeat's time; `nil` sends nothing.
  var heartbeat: StreamChunk? { get }

  /// The connection is gone, whoever ended it. Called exactly once, also when the stream never
  /// opened; no other call follows.
  func closed()
}
