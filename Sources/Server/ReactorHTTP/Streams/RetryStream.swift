internal import ReactorTransport
internal import Synchronization

/// A stream that sends only `retry:` and ends, for a client over a limit.
final class RetryStream: ByteStream {
  private let chunk: Mutex<StreamChunk?>

  init() {
    chunk = Mutex(StreamChunk(EventText.retry().utf8))
  }

  var groups: [StreamGroup] { [] }
  var heartbeat: StreamChunk? { nil }

  func next() -> StreamOutput {
    chunk.withLock { $0.take() }.map { .chunk($0) } ?? .finished
  }

  func closed() {}
}
