package import ReactorHost
package import ReactorLog

/// A message between nodes that has no reply.
package enum NodeMessage: Equatable, Sendable {
  /// The heartbeat of a node.
  case heartbeat(Heartbeat)

  /// The receiver's incarnation was marked as failed.
  case expelled(NodeID)

  /// The bus does not deliver messages of the sender to a node.
  case unreachable(NodeID)

  /// The sender has become the owner of a session.
  case claim(SessionKey, by: NodeID)

  /// The sender has claimed sessions a while ago, or has confirmed with the log that it owns them: the
  /// receiver confirms with the log that it owns those that it has in memory.
  case claims([SessionKey], by: NodeID, isReply: Bool)

  /// A state of a session that the receiver is subscribed to.
  case commits(PublishedCommits)

  /// The sessions that have changed since the last digest, among those that the receiver is
  /// subscribed to.
  case digest(Digest, from: NodeID)

  /// The owner has closed the receiver's subscription to a session, which has this number.
  case closed(SessionKey, UInt64, isDeleted: Bool, by: NodeID)

  /// A part of the sender's streams that show a session. The owner of the session adds up those of
  /// all nodes.
  case streams(SessionKey, StreamReport, from: NodeID)

  /// The subscribers of all nodes to a session that the receiver is subscribed to: as many as an
  /// event has.
  case presence(SessionKey, PresencePage)

  /// The sender has closed its subscriptions to a session up to this number.
  case unsubscribe(SessionKey, UInt64, from: NodeID)

  /// A signal of a client, to the owner of the session.
  case signal(SessionKey, [UInt8], from: String?)

  /// A signal that the owner has published, to a subscribed node, which may be the owner itself.
  case publishedSignal(SessionKey, [UInt8], from: String?)

  /// Whether the sender, whose subscription to a session has this number, is to receive the
  /// session's activity.
  case observesActivity(SessionKey, UInt64, Bool, from: NodeID)

  /// The activity of a session at its owner.
  case activity(SessionKey, SessionActivity)
}

/// A committed state of a session.
package struct PublishedCommits: Equatable, Sendable {
  /// The owner.
  package var owner: NodeID

  /// The session.
  package var session: SessionKey

  /// The epoch of the state.
  package var epoch: String

  /// The version of the previous state that the owner has published.
  package var base: Int

  /// The version of the state.
  package var version: Int

  /// The state, as JSON.
  package var state: [UInt8]

  /// Creates a message.
  package init(
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
  package var bytes: [UInt8] {
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
    case .claims(let keys, let node, let isReply):
      writer.write(21 as UInt8)
      writer.write(all: keys) { $0.write($1) }
      writer.write(node)
      writer.write(isReply)
    case .commits(let commits):
      writer.write(4 as UInt8)
      writer.write(commits)
    case .digest(let digest, let node):
      writer.write(5 as UInt8)
      writer.write(digest)
      writer.write(node)
    case .closed(let key, let number, let isDeleted, let node):
      writer.write(16 as UInt8)
      writer.write(key)
      writer.write(number)
      writer.write(isDeleted)
      writer.write(node)
    case .streams(let key, let report, let node):
      writer.write(17 as UInt8)
      writer.write(key)
      writer.write(report)
      writer.write(node)
    case .presence(let key, let page):
      writer.write(18 as UInt8)
      writer.write(key)
      writer.write(page)
    case .unsubscribe(let key, let number, let node):
      writer.write(19 as UInt8)
      writer.write(key)
      writer.write(number)
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
    case .observesActivity(let key, let number, let isObserved, let node):
      writer.write(20 as UInt8)
      writer.write(key)
      writer.write(number)
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

  /// Reads a message, or returns `nil` for bytes that are not one of this protocol.
  package init?(_ bytes: [UInt8]) {
    self.init(reading: bytes)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> NodeMessage {
    switch try reader.byte() {
    case 1: .heartbeat(try reader.heartbeat())
    case 2: .expelled(try reader.node())
    case 15: .unreachable(try reader.node())
    case 3: .claim(try reader.key(), by: try reader.node())
    case 21:
      .claims(
        try reader.all { (reader) throws(MessageError) in try reader.key() }, by: try reader.node(),
        isReply: try reader.bool())
    case 4: .commits(try reader.commits())
    case 5: .digest(try reader.digest(), from: try reader.node())
    case 16:
      .closed(
        try reader.key(), try reader.number(), isDeleted: try reader.bool(), by: try reader.node())
    case 17: .streams(try reader.key(), try reader.report(), from: try reader.node())
    case 18: .presence(try reader.key(), try reader.presencePage())
    case 19: .unsubscribe(try reader.key(), try reader.number(), from: try reader.node())
    case 11: .signal(try reader.key(), try reader.data(), from: try reader.optionalText())
    case 14:
      .publishedSignal(try reader.key(), try reader.data(), from: try reader.optionalText())
    case 20:
      .observesActivity(
        try reader.key(), try reader.number(), try reader.bool(), from: try reader.node())
    case 13: .activity(try reader.key(), try reader.activity())
    default: throw MessageError()
    }
  }
}
