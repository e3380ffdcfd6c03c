internal import ReactorLog

/// A request with its sender, as bytes.
extension NodeRequest: MessageField {
  func bytes(from sender: NodeID) -> [UInt8] {
    var writer = MessageWriter()
    writer.write(fields: sender, self)
    return writer.bytes
  }

  func write(to writer: inout MessageWriter) {
    switch self {
    case .forward(let request): writer.write(1, request)
    case .release(let key): writer.write(2, key)
    case .probe: writer.write(3)
    case .list(let reactor, let id, let limit): writer.write(4, reactor, id, limit)
    case .applyGlobal(let name): writer.write(5, name)
    case .describe: writer.write(6)
    case .locate(let numbers): writer.write(7, numbers)
    }
  }

  /// Reads a request and its sender, or returns `nil` for bytes that are not one of this protocol.
  static func read(_ bytes: [UInt8]) -> (request: NodeRequest, sender: NodeID)? {
    var reader = MessageReader(bytes)
    guard let sender = try? NodeID.read(&reader), let request = try? read(&reader) else {
      return nil
    }
    return (request, sender)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> NodeRequest {
    switch try reader.byte() {
    case 1: try .forward(reader.read())
    case 2: try .release(reader.read())
    case 3: .probe
    case 4: try .list(reactor: reader.read(), after: reader.read(), limit: reader.count())
    case 5: try .applyGlobal(reader.read())
    case 6: .describe
    case 7: try .locate(reader.read())
    default: throw MessageError()
    }
  }
}

extension NodeReply: Message {
  func write(to writer: inout MessageWriter) {
    switch self {
    case .response(let response): writer.write(1, response)
    case .ownedBy(let node): writer.write(2, node)
    case .unavailable: writer.write(3)
    case .unknown: writer.write(4)
    case .running: writer.write(5)
    case .released: writer.write(6)
    case .alive: writer.write(7)
    case .sessions(let sessions): writer.write(8, sessions)
    case .applied: writer.write(9)
    case .description(let description):
      writer.write(10, description.release, description.sessions)
    case .absent(let numbers): writer.write(11, numbers)
    case .unreadable(let response): writer.write(12, response)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> NodeReply {
    switch try reader.byte() {
    case 1: try .response(reader.read())
    case 2: try .ownedBy(reader.read())
    case 3: .unavailable
    case 4: .unknown
    case 5: .running
    case 6: .released
    case 7: .alive
    case 8: try .sessions(reader.read())
    case 9: .applied
    case 10:
      try .description(NodeDescription(release: reader.read(), sessions: reader.count()))
    case 11: try .absent(reader.read())
    case 12: try .unreadable(reader.read())
    default: throw MessageError()
    }
  }
}
