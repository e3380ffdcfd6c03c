internal import ReactorTransport
internal import Synchronization
internal import Zlib

/// A stream of whole States in the gzip format.
///
/// Wraps the whole stream of a client, with the last output of a credential that has expired. Only the events of the
/// channel are compressed, once for all clients; what one client gets is sent in blocks that are not
/// compressed, except for its opening.
final class CompressedStream: ByteStream {
  private struct State {
    var hasBegun = false
    var hasEnded = false
    /// The event that the client's last decoded bytes are, or `nil` for any other bytes.
    var last: (name: EventBlocks.Name, chunk: StreamChunk)?
    var sum = GzipBlocks.Checksum()
    /// Whether the State may be compressed, as of a number of changes of the configuration.
    var permission: (isGranted: Bool, changeCount: UInt64)
  }

  /// The size of an output up to which compression gains nothing.
  private static let leastSize = 256

  private let stream: any ByteStream
  private let channel: EventChannel
  private let expiries: StreamExpiries
  private let isPublic: @Sendable () -> Bool
  private let state: Mutex<State>

  /// Compresses a stream, whose events are those of a channel.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - channel: The channel.
  ///   - expiries: Counts the changes of the configuration.
  ///   - isPublic: Whether every client may read the States; asked again after a change of the configuration, from
  ///     which on nothing is compressed if they are not public any more.
  init(
    _ stream: any ByteStream, of channel: EventChannel, after expiries: StreamExpiries,
    isPublic: @escaping @Sendable () -> Bool
  ) {
    self.stream = stream
    self.channel = channel
    self.expiries = expiries
    self.isPublic = isPublic
    state = Mutex(State(permission: (true, expiries.changeCount)))
  }

  var groups: [StreamGroup] { stream.groups }

  var heartbeat: StreamChunk? {
    stream.heartbeat.map { chunk in state.withLock { Self.alone(chunk, in: &$0) } }
  }

  func next() -> StreamOutput {
    switch stream.next() {
    case .chunk(let chunk): return .chunk(compressed(chunk))
    case .idle: return .idle
    case .finished:
      return state.withLock { state in
        guard !state.hasEnded else { return .finished }
        state.hasEnded = true
        let beginning = state.hasBegun ? [] : GzipBlocks.header
        return .chunk(StreamChunk(beginning + state.sum.end))
      }
    }
  }

  /// Returns an output in a form that this client can decode.
  private func compressed(_ chunk: StreamChunk) -> StreamChunk {
    let changeCount = expiries.changeCount
    return state.withLock { state in
      if state.permission.changeCount != changeCount {
        state.permission = (isPublic(), changeCount)
      }
      guard state.hasBegun, state.permission.isGranted, let name = EventBlocks.Name(chunk) else {
        return Self.alone(chunk, in: &state)
      }
      // Events of other versions before it would need a form for each client that has skipped some.
      let before = state.last.flatMap { $0.name.version == name.version - 1 ? $0 : nil }
      defer { state.last = (name, chunk) }
      guard let block = channel.block(of: chunk, name, after: before) else {
        return Self.alone(chunk, in: &state)
      }
      state.sum.append(block.sum)
      return block.chunk
    }
  }

  /// Returns an output of this client alone.
  private static func alone(_ chunk: StreamChunk, in state: inout State) -> StreamChunk {
    let text = Array(chunk.framed[chunk.payload])
    state.last = nil
    state.sum.append(GzipBlocks.Checksum(of: text))
    guard !state.hasBegun else { return StreamChunk(GzipBlocks.stored(text)) }
    state.hasBegun = true
    let opening =
      text.count < leastSize || !state.permission.isGranted ? nil : GzipBlocks.compressed(text)
    return StreamChunk(GzipBlocks.header + (opening ?? GzipBlocks.stored(text)))
  }

  var retainedBytes: Int { stream.retainedBytes }

  func closed() { stream.closed() }
}

extension EventChannel {
  /// Returns an event in the form for clients that have a certain event before it, or in the form for all others.
  ///
  /// - Parameters:
  ///   - chunk: The event.
  ///   - name: Its name.
  ///   - before: The event before it, or `nil` for the form that any client can decode.
  /// - Returns: The form, or `nil` if it is not worth the time: for a large event, and for one whose forms are not
  ///   retained any more.
  func block(
    of chunk: StreamChunk, _ name: EventBlocks.Name,
    after before: (name: EventBlocks.Name, chunk: StreamChunk)?
  ) -> EventBlocks.Block? {
    guard chunk.payload.count <= Limits.foregroundCompression else { return nil }
    let (known, isOld) = blocks.withLock { blocks in
      (blocks.block(of: name, after: before?.name), blocks.isBefore(name))
    }
    if let known { return known }
    guard !isOld else { return nil }
    // Without the lock: two threads can make the same form at the same time.
    let text = Array(chunk.framed[chunk.payload])
    let window = before.map { Array($0.chunk.framed[$0.chunk.payload]) } ?? []
    guard let bytes = GzipBlocks.compressed(text, after: window) else { return nil }
    let block = EventBlocks.Block(
      chunk: StreamChunk(bytes), sum: GzipBlocks.Checksum(of: text))
    blocks.withLock { $0.add(block, of: name, after: before?.name) }
    return block
  }
}
