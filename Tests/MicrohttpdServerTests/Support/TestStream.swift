internal import ReactorHTTP
internal import Synchronization

/// A stream that says what it is told to say.
final class TestStream: ByteStream {
  private struct State {
    var outputs: [StreamOutput] = []
    var closings = 0
  }

  let group = StreamGroup()
  let groups: [StreamGroup]
  let heartbeat: StreamChunk?
  let isClosed = Signal()
  private let state = Mutex(State())
  private let onNext: @Sendable () -> Void

  init(
    _ first: String..., groups: [StreamGroup] = [], heartbeat: String? = nil,
    onNext: @escaping @Sendable () -> Void = {}
  ) {
    self.groups = groups + [group]
    self.heartbeat = heartbeat.map { StreamChunk($0.utf8) }
    self.onNext = onNext
    say(first)
  }

  /// How often `closed()` was called.
  var closings: Int { state.withLock { $0.closings } }

  /// Chunks to say, each on its own; nobody is woken.
  func say(_ texts: [String]) {
    state.withLock { $0.outputs += texts.map { .chunk(StreamChunk($0.utf8)) } }
  }

  /// One more chunk, and wakes its group.
  func tell(_ text: String) {
    say([text])
    group.wake()
  }

  /// The end comes after what is still to say; nobody is woken.
  func finish() { state.withLock { $0.outputs.append(.finished) } }

  func next() -> StreamOutput {
    onNext()
    return state.withLock { $0.outputs.isEmpty ? .idle : $0.outputs.removeFirst() }
  }

  func closed() {
    state.withLock { $0.closings += 1 }
    isClosed.send()
  }
}
