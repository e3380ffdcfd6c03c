internal import ReactorHTTP
internal import Synchronization
internal import SystemThreads

/// What writes streams, seen from all threads: a thread of its own, or a part of a request loop's.
///
/// # How streams are written
///
/// libmicrohttpd reads the request; when the answer is a stream, the connection is handed off: we
/// keep a second descriptor of its socket, libmicrohttpd closes its own and forgets the connection
/// (see `Exchange`). A suspended connection there costs 13 KB, and each resume walks the list of
/// all of them; here one costs some 150 bytes, and waking a group touches that group only.
///
/// Streams are *pulled*. Nobody pushes bytes at a connection; a `StreamGroup` is woken, the loop
/// asks each stream of the group in the order in which they came, and a connection whose socket is
/// full is not asked at all until it has room. So a slow reader costs the rest of one chunk, and a
/// chunk that goes to thousands is framed and held once.
///
/// The parts, from pure to impure:
///
/// - `StreamConnection`: what one connection owes and does next; no I/O.
/// - `MembershipTable`: groups and their connections in order; `RecencyList`: who was silent for
///   how long, which is heartbeats and lingering closes without a timer per connection.
/// - `StreamInbox`: what other threads bring. The bell rings only when the loop is asleep.
/// - `StreamWorker`: the thread. It owns all connections, waits in `epoll` (edge-triggered; a
///   descriptor is registered once and never changed), and does what the parts decide.
///
/// Everything that has work stands in one FIFO queue, at most once, and a turn at its head is
/// bounded: no connection, and no group, keeps the others waiting for longer than its share.
///
/// # The end of a stream
///
/// A stream that finishes gets its last chunk, then our direction of the socket is closed, and the
/// descriptor only when the client has closed its own or after `Settings.linger`: closing earlier
/// with bytes unread would reset the connection and could take the last event away from a client
/// that has not read it. Refused uploads end the same way.
final class StreamLoop: StreamWaking {
  private let settings: MicrohttpdServer.Settings
  private let openStreams: ActivityCount
  private let inbox = Mutex(StreamInbox())
  private let bell: WakeEvent

  /// What the thread waits in.
  let poller: Poller
  private let thread = Mutex<SystemThread?>(nil)

  init(
    settings: MicrohttpdServer.Settings, openStreams: ActivityCount
  ) throws(ServerError) {
    self.settings = settings
    self.openStreams = openStreams
    bell = try WakeEvent()
    poller = try Poller()
    guard poller.add(bell.descriptor, token: StreamWorker.bellToken) else {
      throw ServerError(.noResources, "The system watches no more descriptors.")
    }
  }

  /// Makes what does the work, for the one thread that will do it.
  func makeWorker() -> StreamWorker {
    StreamWorker(loop: self, settings: settings, openStreams: openStreams)
  }

  /// Starts a thread of its own.
  func start() throws(ServerError) {
    var thread = SystemThread(named: "streams") { [self] in makeWorker().run() }
    guard thread != nil else { throw ServerError(.noResources, "The system gave no thread.") }
    self.thread.withLock { $0 = thread.take() }
  }

  /// Makes every connection of a group ask its stream again.
  func wake(_ group: StreamGroup) { put { $0.wake(group) } }

  /// Makes every connection ask its stream again.
  func askAll() { put { $0.asksAll = true } }

  /// Takes a connection over; its stream counts as open from here on.
  ///
  /// A stream too many is sent its head and a clean end.
  func adopt(_ handOff: HandOff) {
    var handOff = handOff
    if let stream = handOff.stream {
      openStreams.enter()
      if openStreams.current > settings.limits.streams {
        handOff.stream = nil
        if handOff.isChunked { handOff.head += StreamConnection.lastChunk }
        stream.closed()
        openStreams.leave()
      }
    }
    put { $0.arrivals.append(handOff) }
  }

  /// Ends all connections and blocks until the thread has ended, where it has one of its own.
  func stop() {
    put { $0.stops = true }
    if let thread = thread.withLock({ $0.take() }) { thread.join() }
  }

  /// The thread takes what there is.
  func takeInbox(into taken: inout StreamInbox) {
    inbox.withLock { $0.take(into: &taken) }
  }

  /// The thread wants to wait; false when there is something to take after all.
  func fallAsleep() -> Bool {
    inbox.withLock { inbox in
      inbox.isAsleep = inbox.isEmpty
      return inbox.isAsleep
    }
  }

  /// The thread is back from waiting for something else, and will look by itself.
  func wakeUp() { inbox.withLock { $0.isAsleep = false } }

  /// The thread has heard the bell.
  func clearBell() { bell.clear() }

  private func put(_ change: (inout StreamInbox) -> Void) {
    let rings = inbox.withLock { inbox in
      change(&inbox)
      return inbox.mustRing()
    }
    if rings { bell.ring() }
  }
}
