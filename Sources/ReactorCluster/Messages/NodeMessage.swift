public import ReactorHost
public import ReactorLog

/// A message between nodes that has no reply.
public enum NodeMessage: Equatable, Sendable {
  /// The heartbeat of a node.
  case heartbeat(Heartbeat)

  /// The receiver's incarnation was marked as failed.
  case expelled(NodeID)

  /// The bus does not deliver messages of the sender to a node.
  case unreachable(NodeID)

  /// The sender has become the owner of a session.
  case claim(SessionKey, by: NodeID)

  /// A state of a session that the receiver is subscribed to.
  case commits(PublishedCommits)

  /// The sessions that have changed since the last digest, among those that the receiver is
  /// subscribed to.
  case digest(Digest, from: NodeID)

  /// The owner has closed a session that the receiver is subscribed to.
  case closed(SessionKey, isDeleted: Bool, by: NodeID)

  /// The numbers of the sender's streams that show a session. The owner of the session adds up
  /// those of all nodes.
  case streams(SessionKey, [ReportedStreams], from: NodeID)

  /// The subscribers of all nodes to a session that the receiver is subscribed to.
  case presence(SessionKey, Presence)

  /// The sender is no longer subscribed to a session.
  case unsubscribe(SessionKey, from: NodeID)

  /// A signal of a client, to the owner of the session.
  case signal(SessionKey, [UInt8], from: String?)

  /// A signal that the owner has published, to a subscribed node, which may be the owner itself.
  case publishedSignal(SessionKey, [UInt8], from: String?)

  /// Whether the sender, which is subscribed to a session, is to receive its activity.
  case observesActivity(SessionKey, Bool, from: NodeID)

  /// The activity of a session at its owner.
  case activity(SessionKey, SessionActivity)
}

/// The number of streams of one stream owner.
public struct ReportedStreams: Equatable, Sendable {
  /// The name of the stream owner; `nil` for streams without a name.
  public var name: String?

  /// The number of streams.
  public var count: Int

  /// Creates a report.
  public init(name: String?, count: Int) {
    self.name = name
    self.count = count
  }
}

/// A committed state of a session.
public struct PublishedCommits: Equatable, Sendable {
  /// The owner.
  public var owner: NodeID

  /// The session.
  public var session: SessionKey

  /// The epoch of the state.
  public var epoch: String

  /// The version of the previous state that the owner has published.
  public var base: Int

  /// The version of the state.
  public var version: Int

  /// The state, as JSON.
  public var state: [UInt8]

  /// Creates a message.
  public init(
    owner: NodeID, session: SessionKey, epoch: String, base: Int, version: Int, state: [UInt8]
  ) {
    self.owner = owner
    self.session = session
    self.epoch = epoch
    self.base = base
    self.version = version
    self.state = state
  }
}

extension NodeMessage: ReadableMessage {
  /// The message as bytes.
  public var bytes: [UInt8] {
    var writer = MessageWriter()
    switch self {
    case .heartbeat(let heartbeat):
      writer.write(1 as UInt8)
      writer.write(heartbeat)
    case .expelled(let node):
      writer.write(2 as UInt8)
      writer.write(node)
    case .unreachable(let node):
      writer.write(15 as UInt8)
      writer.write(node)
    case .claim(let key, let node):
      writer.write(3 as UInt8)
      writer.write(key)
      writer.write(node)
    case .commits(let commits):
      writer.write(4 as UInt8)
      writer.write(commits)
    case .digest(let digest, let node):
      writer.write(5 as UInt8)
      writer.write(digest)
      writer.write(node)
    case .closed(let key, let isDeleted, let node):
      writer.write(6 as UInt8)
      writer.write(key)
      writer.write(isDeleted)
      writer.write(node)
    case .streams(let key, let streams, let node):
      writer.write(7 as UInt8)
      writer.write(key)
      writer.write(all: streams) { $0.write($1) }
      writer.write(node)
    case .presence(let key, let presence):
      writer.write(10 as UInt8)
      writer.write(key)
      writer.write(presence)
    case .unsubscribe(let key, let node):
      writer.write(8 as UInt8)
      writer.write(key)
      writer.write(node)
    case .signal, .publishedSignal, .observesActivity, .activity: writeEphemeral(to: &writer)
    }
    return writer.bytes
  }

  /// Writes a message about signals or activity, which the log does not store.
  private func writeEphemeral(to writer: inout MessageWriter) {
    switch self {
    case .signal(let key, let json, let sender):
      writer.write(11 as UInt8)
      writer.write(key)
      writer.write(json)
      writer.write(sender) { $0.write($1) }
    case .publishedSignal(let key, let json, let sender):
      writer.write(14 as UInt8)
      writer.write(key)
      writer.write(json)
      writer.write(sender) { $0.write($1) }
    case .observesActivity(let key, let isObserved, let node):
      writer.write(12 as UInt8)
      writer.write(key)
      writer.write(isObserved)
      writer.write(node)
    case .activity(let key, let activity):
      writer.write(13 as UInt8)
      writer.write(key)
      writer.write(activity.running)
      writer.write(activity.progress) { $0.write($1.bitPattern) }
    default: break
    }
  }

  /// Reads a message; `nil` for bytes that are not one of this protocol.
  public init?(_ bytes: [UInt8]) {
    self.init(reading: bytes)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> NodeMessage {
    switch try reader.byte() {
    case 1: .heartbeat(try reader.heartbeat())
    case 2: .expelled(try reader.node())
    case 15: .unreachable(try reader.node())
    case 3: .claim(try reader.key(), by: try reader.node())
    case 4: .commits(try reader.commits())
    case 5: .digest(try reader.digest(), from: try reader.node())
    case 6: .closed(try reader.key(), isDeleted: try reader.bool(), by: try reader.node())
    case 7:
      .streams(
        try reader.key(), try reader.all { (reader) throws(MessageError) in try reader.streams() },
        from: try reader.node())
    case 10: .presence(try reader.key(), try reader.presence())
    case 8: .unsubscribe(try reader.key(), from: try reader.node())
    case 11: .signal(try reader.key(), try reader.data(), from: try reader.optionalText())
    case 14:
      .publishedSignal(try reader.key(), try reader.data(), from: try reader.optionalText())
    case 12:
      .observesActivity(try reader.key(), try reader.bool(), from: try reader.node())
    case 13: .activity(try reader.key(), try reader.activity())
    default: throw MessageError()
    }
  }
}
