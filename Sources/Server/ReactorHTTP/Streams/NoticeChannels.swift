internal import ReactorHost
internal import ReactorTransport
internal import Synchronization

/// Observes one kind of events of a session, other than States, for all streams that send them.
protocol NoticeChannel: AnyObject, Sendable {
  /// The observed session.
  var session: any SessionSource { get }

  /// The streams, woken when there is a new event.
  var group: StreamGroup { get }

  /// Creates a channel that does not observe yet.
  init(_ session: any SessionSource)

  /// Begins to observe. Called once, by the creator.
  func start()

  /// Stops observing.
  func stop()
}

/// The channels of one kind that have streams.
final class NoticeChannels<Channel: NoticeChannel>: Sendable {
  private let entries = Mutex<[ObjectIdentifier: (channel: Channel, streams: Int)]>([:])

  /// Adds a stream to the channel of a session; creates the channel for the first stream.
  func join(_ session: any SessionSource) -> Channel {
    let key = ObjectIdentifier(session)
    let (channel, isNew) = entries.withLock { entries in
      let known = entries[key]
      let channel = known?.channel ?? Channel(session)
      entries[key] = (channel, (known?.streams ?? 0) + 1)
      return (channel, known == nil)
    }
    // The session notifies a new observer of the current activity or presence, so that an earlier
    // change is not lost.
    if isNew { channel.start() }
    return channel
  }

  /// Removes a stream; the channel stops with its last stream.
  func leave(_ channel: Channel) {
    let key = ObjectIdentifier(channel.session)
    let isLast = entries.withLock { entries in
      guard var entry = entries[key], entry.channel === channel else { return false }
      entry.streams -= 1
      entries[key] = entry.streams > 0 ? entry : nil
      return entry.streams == 0
    }
    if isLast { channel.stop() }
  }
}

/// An event of a session that is not a State.
struct StreamNotice: Sendable {
  /// The name of the event.
  let name: String

  /// The data on a stream of one session.
  let json: [UInt8]

  /// The event on a stream of one session.
  let chunk: StreamChunk

  /// Creates an event.
  init(_ name: String, _ json: [UInt8]) {
    self.name = name
    self.json = json
    chunk = StreamChunk(EventText.notice(name, json))
  }
}
