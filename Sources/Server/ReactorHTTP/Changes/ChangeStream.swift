internal import ReactorHost
internal import ReactorLog
internal import ReactorTransport
internal import Synchronization

/// One client's stream of the changes.
///
/// Reads the store in the worker pool, one page at a time. The next page is read when the
/// connection has pulled the previous one, so that at most one page is buffered for a slow client.
final class ChangeStream: ByteStream {
  private struct State {
    /// Output that the connection has not pulled yet.
    var ready: [StreamChunk]
    /// The number of the last change that was read.
    var position: Int
    /// Whether a job of this stream is in the worker pool.
    var isReading = false
    /// Whether a read of the store failed: the stream ends, and the client reconnects.
    var hasFailed = false
    var isFinished = false
  }

  private enum Step {
    case output(StreamOutput)
    case read(after: Int)
  }

  /// The maximum number of changes per page.
  private static let pageLength = 256
  private static let draining = StreamChunk(EventText.notice("draining"))

  private let feed: any ChangeFeed
  private let filter: ChangeFilter
  private let text: ChangeText
  private let scope: RequestScope
  private let channels: EventChannels
  private let client: WorkOwner
  /// Woken after a read of this stream; commits wake ``EventChannels/changeStreams``.
  private let group = StreamGroup()
  private let state: Mutex<State>

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - feed: The changes.
  ///   - start: The position after which the stream begins.
  ///   - filter: Selects changes.
  ///   - text: Encodes changes.
  ///   - scope: The request.
  ///   - channels: Reports whether the service is draining, and provides the worker pool.
  ///   - client: The client, whose reads take turns with those of others.
  init(
    _ feed: any ChangeFeed, from start: ChangeStart, _ filter: ChangeFilter, _ text: ChangeText,
    _ scope: RequestScope, of channels: EventChannels, for client: WorkOwner
  ) {
    self.feed = feed
    self.filter = filter
    self.text = text
    self.scope = scope
    self.channels = channels
    self.client = client
    var opening = Array(EventText.retry().utf8)
    let id = ChangeID(store: feed.store, number: start.number)
    if start.isReset { opening += EventText.notice("reset", Array(#"{"oldest":"\#(id)"}"#.utf8)) }
    // Send the position first: a client that disconnects before the first change resumes from it.
    opening += Self.position(id)
    state = Mutex(State(ready: [StreamChunk(opening)], position: start.number))
  }

  var groups: [StreamGroup] { [group, channels.changeStreams] }

  var heartbeat: StreamChunk? { EventText.heartbeat }

  /// The page that waits for the client; the one that is being read, as if it were full.
  var retainedBytes: Int {
    state.withLock { state in
      state.ready.reduce(state.isReading ? EventBuffer.byteBound : 0) { $0 + $1.framed.count }
    }
  }

  func closed() {}

  func next() -> StreamOutput {
    let latest = feed.latest
    let isDraining = channels.isDraining
    let step = state.withLock { state -> Step in
      if !state.ready.isEmpty { return .output(.chunk(state.ready.removeFirst())) }
      if state.isFinished || state.hasFailed { return .output(.finished) }
      if isDraining {
        state.isFinished = true
        return .output(.chunk(Self.draining))
      }
      guard !state.isReading, state.position < latest else { return .output(.idle) }
      state.isReading = true
      return .read(after: state.position)
    }
    switch step {
    case .output(let output): return output
    case .read(let position):
      channels.background.start(for: client) { [self] in
        await read(after: position)
        group.wake()
      }
      return .idle
    }
  }

  // MARK: In the worker pool

  private func read(after position: Int) async {
    do throws(LogError) {
      let changes = try feed.changes(after: position, limit: Self.pageLength)
      let (output, last) = try await encode(changes, after: position)
      state.withLock { state in
        if !output.isEmpty { state.ready.append(StreamChunk(output)) }
        state.position = last
        state.isReading = false
      }
    } catch {
      state.withLock { $0.hasFailed = true }
    }
  }

  /// Encodes the changes of a page, up to a limit of bytes.
  ///
  /// - Returns: The text, and the number of the last change that it contains.
  private func encode(
    _ changes: [StoreChange], after position: Int
  ) async throws(LogError) -> (text: [UInt8], last: Int) {
    var output: [UInt8] = []
    var last = position
    var lastSent = position
    if let first = changes.first, first.number > position + 1 {
      // Retention has deleted changes that the client has not read.
      let oldest = ChangeID(store: feed.store, number: first.number - 1)
      output += EventText.notice("reset", Array(#"{"oldest":"\#(oldest)"}"#.utf8))
    }
    var count = 0
    var views = ChangeViews(host: text.host, scope: scope, readsState: text.content == .state)
    for change in changes where output.count < EventBuffer.byteBound && count < text.bound {
      guard !views.isExhausted else { break }
      last = change.number
      guard filter.matches(change), let part = try await views.part(of: change) else { continue }
      let id = ChangeID(store: feed.store, number: change.number)
      output += "id: \(id)\ndata: ".utf8
      output += try text.json(change, id: nil, showing: part)
      output += "\n\n".utf8
      lastSent = last
      count += 1
    }
    // Send the position after many changes that the filter excludes, so that the client does not
    // read them again when it reconnects.
    if last >= lastSent + Self.pageLength / 2 {
      output += Self.position(ChangeID(store: feed.store, number: last))
    }
    return (output, last)
  }

  /// Returns an event without data, which only sets the position of the client.
  private static func position(_ id: ChangeID) -> [UInt8] { Array("id: \(id)\n\n".utf8) }
}

/// The position at which a stream of changes begins.
struct ChangeStart {
  let number: Int

  /// Whether the client's position cannot be continued, so that the stream begins with a reset.
  var isReset = false
}
