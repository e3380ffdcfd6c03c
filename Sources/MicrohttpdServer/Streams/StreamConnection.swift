internal import ReactorHTTP

/// What one connection owes its client, and what to do about it next.
///
/// This is the pure half of a stream's connection: bytes owed, bytes written, and the order of the
/// end. It does no I/O and calls no stream; the loop asks for the `step`, does it, and tells it
/// what came of it. Events that wait leave together, since a system call costs more than what it
/// carries; a client that does not read costs the few that it is owed, which it shares with others.
///
/// ```
/// streaming ──finished──▶ ending ──written──▶ lingering ──the client's end, or time──▶ (closed)
/// ```
struct StreamConnection {
  /// What the loop should do.
  enum Step: Equatable {
    /// Ask the stream, and pass on what it says to `accept(_:)`.
    case ask
    /// Write of `owed`, and report to `wrote(_:)` or `mustWait()`.
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

  /// What the socket has not taken.
  private(set) var owed: OwedBytes

  /// A connection that owes its head.
  ///
  /// Without a stream it ends after that.
  init(head: [UInt8], hasStream: Bool, isChunked: Bool) {
    owed = OwedBytes(head[...])
    self.isChunked = isChunked
    phase = hasStream ? .streaming : .ending
  }

  /// What to do next.
  var step: Step {
    switch phase {
    case .streaming:
      if isBlocked, !owed.isEmpty { return .rest }
      // Asked before it is written to, so that the head and all that waits leave together.
      if hasNews, !owed.isEnough { return .ask }
      return owed.isEmpty ? .rest : .write
    case .ending: return owed.isEmpty ? .shutDown : isBlocked ? .rest : .write
    case .lingering: return .rest
    }
  }

  /// Whether the stream may still be asked.
  var isStreaming: Bool { phase == .streaming }

  /// Whether all was said and only the client's end is missing.
  var isLingering: Bool { phase == .lingering }

  /// There may be news: the stream will be asked as soon as there is room for it.
  mutating func wake() { hasNews = true }

  /// The socket has room.
  ///
  /// True when that was waited for.
  mutating func unblock() -> Bool {
    defer { isBlocked = false }
    return isBlocked
  }

  /// The socket took this many bytes.
  mutating func wrote(_ count: Int) { owed.removeFirst(count) }

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
    guard phase == .streaming, owed.isEmpty else { return false }
    owe(chunk)
    return true
  }

  /// Ends the body: the last chunk follows what is owed.
  mutating func finish() {
    guard phase == .streaming else { return }
    phase = .ending
    if isChunked { owed.append(Self.lastChunk[...]) }
  }

  /// Our direction is closed.
  mutating func lingers() { phase = .lingering }

  private mutating func owe(_ chunk: StreamChunk) {
    owed.append(isChunked ? chunk.framed[...] : chunk.framed[chunk.payload])
  }
}
