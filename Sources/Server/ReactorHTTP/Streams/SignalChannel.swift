internal import ReactorCoding
internal import ReactorHost
internal import ReactorTransport
internal import Synchronization

/// The signals of one session, encoded once for all streams that send them.
final class SignalChannel: NoticeChannel, SignalObserver {
  let session: any SessionSource
  let group = StreamGroup()
  private let buffer = Mutex(SignalBuffer())

  init(_ session: any SessionSource) {
    self.session = session
  }

  func start() {
    session.observeSignals(self)
  }

  func stop() {
    session.stopObservingSignals(self)
  }

  /// The position of a stream that begins now, before all later signals.
  var position: Int {
    buffer.withLock { $0.count }
  }

  /// Returns the next signal for a stream at a position, and its position after it.
  func next(at position: Int) -> (signal: StreamNotice, position: Int)? {
    buffer.withLock { $0.next(at: position) }
  }

  func didReceive(_ signal: SessionSignal) {
    let sender = signal.sender.map { JSONValue.string($0) } ?? .null
    let json =
      Array(#"{"from":"#.utf8) + sender.bytes + Array(#","signal":"#.utf8) + signal.json
      + Array("}".utf8)
    let notice = StreamNotice("signal", json)
    buffer.withLock { $0.append(notice) }
    group.wake()
  }
}
