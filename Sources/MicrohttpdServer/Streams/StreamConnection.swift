internal import ReactorHTTP

/// What one connection owes its client, and what to do about it next.
///
/// This is the pure half of a stream's connection: bytes owed, bytes written, and the order of the
/// end. It does no I/O and calls no stream; the loop asks for the `step`, does it, and tells it
/// what came of it. A client that does not read costs the chunk that it is owed and a position in
/// it.
///
/// ```
/// streaming ──finished──▶ ending ──written──▶ lingering ──the client's end, or time──▶ (closed)
/// ```
struct StreamConnection {
  /// What the loop should do.
  enum Step: Equatable {
    /// Ask the stream, and pass on what it says to `accept(_:)`.
    case ask
    /// Write `owed` and report to `wrote(_:)` or `mustWait()`.
    case write
    /// Nothing until there is news or room.
    case rest
    /// Everything is written: close our direction, then call `lingers()`.
    case shutDown
  }

  /// What ends a body that is sent in chunks.
  static let lastChunk = Array("0\r\n\r\n".utf8)

  private enum Phase: UInt8 {
    case streaming, ending, lingering
  }

  private var phase: Phase
  private let isChunked: Bool
  private var isBlocked = false
  private var hasNews = true
  private var hasEvent = false
  private var bytes: [UInt8]
  private var position = 0
  private var end: Int

  /// A connection that owes its head.
  ///
  /// Without a stream it ends after that.
  init(head: [UInt8], hasStream: Bool, isChunked: Bool) {
    bytes = head
    end = head.count
    self.isChunked = isChunked
    phase = hasStream ? .streaming : .ending
  }

  /// What to do next.
  var step: Step {
    switch phase {
    case .streaming:
      // A stream is asked before its head is written, so that head and first event leave together.
      if hasNews, !owesEvent { return .ask }
      return owesBytes ? (isBlocked ? .rest : .write) : .rest
    case .ending: return owesBytes ? (isBlocked ? .rest : .write) : .shutDown
    case .lingering: return .rest
    }
  }

  /// Whether the stream may still be asked.
  var isStreaming: Bool { phase == .streaming }

  /// Whether all was said and only the client's end is missing.
  var isLingering: Bool { phase == .lingering }

  /// Whether there are bytes that the socket has not taken.
  var owesBytes: Bool { position < end }

  /// The bytes to write next.
  var owed: (bytes: [UInt8], range: Range<Int>) { (bytes, position..<end) }

  /// There may be news: the stream will be asked as soon as nothing is owed.
  mutating func wake() { hasNews = true }

  /// The socket has room.
  ///
  /// True when that was waited for.
  mutating func unblock() -> Bool {
    defer { isBlocked = false }
    return isBlocked
  }

  /// The socket took this many bytes.
  mutating func wrote(_ count: Int) {
    position = min(end, position + max(0, count))
    if !owesBytes { forgetBytes() }
  }

  /// The socket takes no more for now.
  mutating func mustWait() { isBlocked = true }

  /// What the stream said when it was asked.
  mutating func accept(_ output: StreamOutput) {
    guard phase == .streaming else { return }
    switch output {
    case .chunk(let chunk): owe(chunk)
    case .idle: hasNews = false
    case .finished: finish()
    }
  }

  /// Owes a heartbeat, unless something is owed anyway.
  ///
  /// True when it does.
  mutating func beat(_ chunk: StreamChunk) -> Bool {
    guard phase == .streaming, !owesBytes else { return false }
    owe(chunk)
    return true
  }

  /// Ends the body: the last chunk follows what is owed.
  mutating func finish() {
    guard phase == .streaming else { return }
    phase = .ending
    guard isChunked else { return }
    append(Self.lastChunk)
  }

  /// Our direction is closed.
  mutating func lingers() { phase = .lingering }

  /// Whether more than the head is owed: an event, or the rest of one.
  private var owesEvent: Bool { owesBytes && hasEvent }

  private mutating func owe(_ chunk: StreamChunk) {
    let range = isChunked ? chunk.framed.indices : chunk.payload
    if owesBytes {
      append(chunk.framed[range])
    } else {
      // Shared with every other connection that is sent this chunk.
      bytes = chunk.framed
      position = range.lowerBound
      end = range.upperBound
    }
    hasEvent = true
  }

  private mutating func append(_ more: some Collection<UInt8>) {
    bytes = Array(bytes[position..<end]) + more
    position = 0
    end = bytes.count
  }

  private mutating func forgetBytes() {
    bytes = []
    position = 0
    end = 0
    hasEvent = false
  }
}
