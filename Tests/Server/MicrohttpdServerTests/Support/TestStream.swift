internal import ReactorTransport
internal import Synchronization

/// A stream with the output that a test provides.
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
    append(first)
  }

  /// The number of calls of `closed()`.
  var closings: Int { state.withLock { $0.closings } }

  /// Appends chunks without waking the group.
  func append(_ texts: [String]) {
    state.withLock { $0.outputs += texts.map { .chunk(StreamChunk($0.utf8)) } }
  }

  /// Appends a chunk, and wakes the group.
  func publish(_ text: String) {
    append([text])
    group.wake()
  }

  /// Appends the end without waking the group.
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
