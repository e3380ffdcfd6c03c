internal import Synchronization

/// A stream that only tells its client to come back: for one that cannot be served now.
final class RetryStream: ByteStream {
  private let hint: Mutex<StreamChunk?>

  init() {
    hint = Mutex(StreamChunk(EventText.retry().utf8))
  }

  var groups: [StreamGroup] { [] }
  var heartbeat: StreamChunk? { nil }

  func next() -> StreamOutput {
    hint.withLock { $0.take() }.map { .chunk($0) } ?? .finished
  }

  func closed() {}
}
