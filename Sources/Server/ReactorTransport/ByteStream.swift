/// Bytes that are framed once and sent to many connections.
///
/// The payload is stored within the framing of one HTTP/1.1 chunk, so that a broadcast to thousands
/// of connections frames its event once. An HTTP/1.0 connection receives the payload only.
package struct StreamChunk: Sendable {
  /// Chunk size line, payload, line end.
  package let framed: [UInt8]

  /// The payload's position within `framed`.
  package let payload: Range<Int>

  /// Frames a payload, which must not be empty: an empty chunk would end the body.
  package init(_ payload: some Collection<UInt8>) {
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

/// The next output of a stream.
package enum StreamOutput: Sendable {
  /// Send this chunk, then call `next()` again.
  case chunk(StreamChunk)

  /// No output until one of the stream's groups is woken.
  case idle

  /// The body is complete: send the last chunk and close.
  case finished
}

/// A response body of unknown length, pulled by its connection.
///
/// A connection pulls as much as its socket accepts, and nothing while the socket is full: a client
/// that does not read costs a few shared chunks and delays no other client.
package protocol ByteStream: AnyObject, Sendable {
  /// The groups that wake this stream's connection.
  ///
  /// Read once, when the connection opens. A wake before that is not lost: the first `next()`
  /// follows it.
  var groups: [StreamGroup] { get }

  /// Returns the next output. Called on the connection's loop thread only, and must not block.
  func next() -> StreamOutput

  /// The chunk that is sent after a heartbeat interval without output; `nil` sends nothing.
  ///
  /// Read on the connection's loop thread, directly before the chunk is sent.
  var heartbeat: StreamChunk? { get }

  /// The bytes that the stream retains for its client beside the output; asked while the socket is full.
  var retainedBytes: Int { get }

  /// Called exactly once, when the connection has ended from either side, also if the stream was
  /// never opened. No other call follows.
  func closed()
}

extension ByteStream {
  package var retainedBytes: Int { 0 }
}
