internal import ReactorTransport
internal import Synchronization
internal import SystemThreads

/// The handle of a thread that writes streams; if `Settings.loops` is 0, the thread of the first
/// request loop.
///
/// libmicrohttpd parses the request; if the response is a stream, the connection is handed off: a
/// duplicate of its descriptor goes to a stream loop, and libmicrohttpd closes its own (see
/// `Exchange`). A suspended connection in libmicrohttpd occupies 13 KB, and each resume walks the list
/// of all of them; a connection here occupies some 150 bytes, and waking a group touches only its
/// members.
///
/// Streams are pulled: waking a `StreamGroup` makes the loop poll the streams of that group, in the
/// order in which they joined; a connection whose socket is full is not polled until it is
/// writable. A slow reader thus holds at most the rest of a few chunks, which it shares with other
/// connections.
///
/// `StreamWorker` is the thread itself, `StreamConnection` the pure state of one connection.
///
/// # The end of a stream
///
/// A finished stream is sent its last chunk; then the loop shuts down its direction of the socket, and
/// closes the descriptor when the client has closed its direction, or after `Settings.linger`. Closing
/// with unread bytes would reset the connection, and the client could lose the last event. Rejected
/// uploads end the same way.
final class StreamLoop: StreamWaking {
  /// A message to the thread.
  enum Message: Sendable {
    /// Adopt a connection.
    case connection(HandOff)
    /// Poll the streams of a group.
    case wake(StreamGroup)
    /// Close the connections of a group.
    case end(StreamGroup)
    /// Poll every stream.
    case pollAll
    /// Call a function on the thread.
    case call(@Sendable () -> Void)
    /// Close all connections and end.
    case stop
  }

  /// The poller in which the thread sleeps.
  let poller: Poller
  /// Wakes the thread.
  let waker: Waker
  /// The number of streams that were closed because their clients were too slow.
  let overdue = Atomic<Int>(0)
  /// The messages to the thread.
  let inbox: Inbox<Message>
  private let settings: MicrohttpdServer.Settings
  private let openStreams: ActivityCount
  private let thread = Mutex<SystemThread?>(nil)

  init(
    settings: MicrohttpdServer.Settings, openStreams: ActivityCount
  ) throws(ServerError) {
    self.settings = settings
    self.openStreams = openStreams
    guard let poller = Poller(), let waker = Waker(),
      poller.add(waker.descriptor, token: StreamWorker.wakerToken)
    else { throw .noDescriptors }
    self.poller = poller
    self.waker = waker
    inbox = Inbox(waking: waker)
  }

  /// Creates the worker for the thread that serves this loop.
  func makeWorker() -> StreamWorker {
    StreamWorker(loop: self, settings: settings, openStreams: openStreams)
  }

  /// Starts a thread of its own.
  func start() throws(ServerError) {
    var thread = SystemThread(named: "streams") { [self] in makeWorker().serve() }
    guard thread != nil else { throw .noThread }
    self.thread.withLock { $0 = thread.take() }
  }

  func wake(_ group: StreamGroup) { inbox.send(.wake(group)) }

  func end(_ group: StreamGroup) { inbox.send(.end(group)) }

  /// Adopts a connection, and counts its stream as open.
  func adopt(_ handOff: HandOff) {
    if handOff.stream != nil { openStreams.enter() }
    inbox.send(.connection(handOff))
  }

  /// Closes all connections and blocks until the thread has ended, if it has one of its own.
  func stop() {
    inbox.send(.stop)
    if let thread = thread.withLock({ $0.take() }) { thread.join() }
  }
}
