internal import ReactorTransport

/// The state of a stream's connection: the pending bytes, and the phase until its end.
///
/// Pure: the worker reads the `step`, carries it out, and reports the result. Pending events are sent
/// together, since a system call costs more than its bytes. A client that does not read holds a few
/// chunks, which it shares with other connections.
///
/// ```
/// streaming ──finished──▶ ending ──written──▶ lingering ──client closes, or timeout──▶ (closed)
/// ```
struct StreamConnection {
  /// The next step for the worker.
  enum Step: Equatable {
    /// Poll the stream, and pass its output to `accept(_:)`.
    case poll
    /// Write some of `pending`, and report to `wrote(_:)` or `mustWait()`.
    case write
    /// Wait until the stream is woken or the socket is writable.
    case rest
    /// All bytes are written: close the writing direction, then call `lingers()`.
    case shutDown
  }

  /// The end of a chunked body.
  static let lastChunk = Array("0\r\n\r\n".utf8)

  private enum Phase: UInt8 {
    case streaming, ending, lingering
  }

  /// The bytes that are not yet written.
  private(set) var pending: OutboundBytes

  private var phase: Phase
  private let isChunked: Bool
  private var isBlocked = false
  private var mustPoll = true

  /// Creates a connection whose head is pending; without a stream it ends after the head.
  init(head: [UInt8], hasStream: Bool, isChunked: Bool) {
    pending = OutboundBytes(head)
    self.isChunked = isChunked
    phase = hasStream ? .streaming : .ending
  }

  /// The next step.
  var step: Step {
    switch phase {
    case .streaming:
      if isBlocked, !pending.isEmpty { return .rest }
      // Poll before writing, so that the head and all events are sent together.
      if mustPoll, !pending.isEnough { return .poll }
      return pending.isEmpty ? .rest : .write
    case .ending: return pending.isEmpty ? .shutDown : isBlocked ? .rest : .write
    case .lingering: return .rest
    }
  }

  /// Whether the stream may still be polled.
  var isStreaming: Bool { phase == .streaming }

  /// Whether all bytes are written, and the client has not closed its direction yet.
  var isLingering: Bool { phase == .lingering }

  /// Requests another poll of the stream, which follows when there is room for its output.
  mutating func wake() { mustPoll = true }

  /// Records that the socket is writable.
  ///
  /// - Returns: Whether the connection waited for this.
  mutating func unblock() -> Bool {
    defer { isBlocked = false }
    return isBlocked
  }

  /// Records bytes that the socket accepted.
  mutating func wrote(_ count: Int) { pending.removeFirst(count) }

  /// Records that the socket is full.
  mutating func mustWait() { isBlocked = true }

  /// Handles the output of the stream, which was polled.
  mutating func accept(_ output: StreamOutput) {
    guard phase == .streaming else { return }
    switch output {
    case .chunk(let chunk): append(chunk)
    case .idle: mustPoll = false
    case .finished: finish()
    }
  }

  /// Whether a heartbeat can be appended: no bytes are pending.
  var takesHeartbeat: Bool { phase == .streaming && pending.isEmpty }

  /// Appends a heartbeat, unless bytes are pending.
  ///
  /// - Returns: Whether it was appended.
  mutating func appendHeartbeat(_ chunk: StreamChunk) -> Bool {
    guard takesHeartbeat else { return false }
    append(chunk)
    return true
  }

  /// Ends the body: the last chunk follows the pending bytes.
  mutating func finish() {
    guard phase == .streaming else { return }
    phase = .ending
    if isChunked { pending.append(Self.lastChunk) }
  }

  /// Records that the writing direction is closed.
  mutating func lingers() { phase = .lingering }

  private mutating func append(_ chunk: StreamChunk) {
    pending.append(chunk.framed, isChunked ? chunk.framed.indices : chunk.payload)
  }
}
