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

extension NodeMessage: Message {
  func write(to writer: inout MessageWriter) {
    switch self {
    case .heartbeat(let heartbeat): writer.write(1, heartbeat)
    case .expelled(let node): writer.write(2, node)
    case .claim(let key, let node): writer.write(3, key, node)
    case .commits(let commits): writer.write(4, commits)
    case .digest(let digest, let node): writer.write(5, digest, node)
    case .signal(let key, let json, let sender): writer.write(11, key, json, sender)
    case .activity(let key, let activity):
      writer.write(13, key, activity.running, activity.progress)
    case .publishedSignal(let key, let json, let sender): writer.write(14, key, json, sender)
    case .unreachable(let node): writer.write(15, node)
    case .closed(let key, let number, let isDeleted, let node):
      writer.write(16, key, number, isDeleted, node)
    case .streams(let key, let report, let node): writer.write(17, key, report, node)
    case .presence(let key, let page): writer.write(18, key, page)
    case .unsubscribe(let key, let number, let node): writer.write(19, key, number, node)
    case .observesActivity(let key, let number, let isObserved, let node):
      writer.write(20, key, number, isObserved, node)
    case .claims(let keys, let node, let isReply): writer.write(21, keys, node, isReply)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> NodeMessage {
    switch try reader.byte() {
    case 1: try .heartbeat(reader.read())
    case 2: try .expelled(reader.read())
    case 3: try .claim(reader.read(), by: reader.read())
    case 4: try .commits(reader.read())
    case 5: try .digest(reader.read(), from: reader.read())
    case 11: try .signal(reader.read(), reader.read(), from: reader.read())
    case 13:
      try .activity(
        reader.read(), SessionActivity(running: reader.count(), progress: reader.read()))
    case 14: try .publishedSignal(reader.read(), reader.read(), from: reader.read())
    case 15: try .unreachable(reader.read())
    case 16:
      try .closed(reader.read(), reader.read(), isDeleted: reader.read(), by: reader.read())
    case 17: try .streams(reader.read(), reader.read(), from: reader.read())
    case 18: try .presence(reader.read(), reader.read())
    case 19: try .unsubscribe(reader.read(), reader.read(), from: reader.read())
    case 20:
      try .observesActivity(reader.read(), reader.read(), reader.read(), from: reader.read())
    case 21: try .claims(reader.read(), by: reader.read(), isReply: reader.read())
    default: throw MessageError()
    }
  }
}
