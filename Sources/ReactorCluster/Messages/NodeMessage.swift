public import ReactorLog

/// A message between nodes that has no reply.
public enum NodeMessage: Equatable, Sendable {
  /// The heartbeat of a node.
  case heartbeat(Heartbeat)

  /// The receiver's incarnation was marked as failed.
  case expelled(NodeID)

  /// The sender owns a session from now on.
  case claim(SessionKey, by: NodeID)

  /// States of a session that the receiver is subscribed to.
  case commits(PublishedCommits)

  /// The latest versions of the sessions that the receiver is subscribed to.
  case digest(Digest, from: NodeID)

  /// The owner has closed a session that the receiver is subscribed to.
  case closed(SessionKey, isDeleted: Bool, by: NodeID)

  /// The number of the sender's streams of a session, for the sum at the owner.
  case subscribers(SessionKey, count: Int, from: NodeID)

  /// The sender is not subscribed to a session any more.
  case unsubscribe(SessionKey, from: NodeID)

  /// A global has another value in the log.
  case global(String)
}

/// The states of one commit of a session.
public struct PublishedCommits: Equatable, Sendable {
  /// The owner.
  public var owner: NodeID

  /// The session.
  public var session: SessionKey

  /// The history of the states.
  public var epoch: String

  /// The version before the first state.
  public var base: Int

  /// The states as JSON, in order; empty for a version whose state is not known.
  public var states: [[UInt8]]

  /// Creates a message.
  public init(
    owner: NodeID, session: SessionKey, epoch: String, base: Int, states: [[UInt8]]
  ) {
    self.owner = owner
    self.session = session
    self.epoch = epoch
    self.base = base
    self.states = states
  }
}

extension NodeMessage {
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
    case .subscribers(let key, let count, let node):
      writer.write(7 as UInt8)
      writer.write(key)
      writer.write(count)
      writer.write(node)
    case .unsubscribe(let key, let node):
      writer.write(8 as UInt8)
      writer.write(key)
      writer.write(node)
    case .global(let name):
      writer.write(9 as UInt8)
      writer.write(name)
    }
    return writer.bytes
  }

  /// Reads a message; `nil` for bytes that are not one of this protocol.
  public init?(_ bytes: [UInt8]) {
    var reader = MessageReader(bytes)
    do throws(MessageError) {
      self = try Self.read(&reader)
    } catch {
      return nil
    }
  }

  private static func read(_ reader: inout MessageReader) throws(MessageError) -> NodeMessage {
    switch try reader.byte() {
    case 1: .heartbeat(try reader.heartbeat())
    case 2: .expelled(try reader.node())
    case 3: .claim(try reader.key(), by: try reader.node())
    case 4: .commits(try reader.commits())
    case 5: .digest(try reader.digest(), from: try reader.node())
    case 6: .closed(try reader.key(), isDeleted: try reader.bool(), by: try reader.node())
    case 7:
      .subscribers(try reader.key(), count: try reader.integer(), from: try reader.node())
    case 8: .unsubscribe(try reader.key(), from: try reader.node())
    case 9: .global(try reader.text())
    default: throw MessageError()
    }
  }
}
