internal import ReactorLog

/// A request with its sender, as bytes.
extension NodeRequest {
  func bytes(from sender: NodeID) -> [UInt8] {
    var writer = MessageWriter()
    writer.write(sender)
    switch self {
    case .forward(let request):
      writer.write(1 as UInt8)
      writer.write(request)
    case .release(let key):
      writer.write(2 as UInt8)
      writer.write(key)
    case .probe: writer.write(3 as UInt8)
    case .list(let reactor, let id, let limit):
      writer.write(4 as UInt8)
      writer.write(reactor)
      writer.write(id) { $0.write($1) }
      writer.write(limit)
    case .applyGlobal(let name):
      writer.write(5 as UInt8)
      writer.write(name)
    case .describe: writer.write(6 as UInt8)
    case .locate(let numbers):
      writer.write(7 as UInt8)
      writer.write(all: numbers) { $0.write($1) }
    }
    return writer.bytes
  }

  /// Reads a request and its sender, or returns `nil` for bytes that are not one of this protocol.
  static func read(_ bytes: [UInt8]) -> (request: NodeRequest, sender: NodeID)? {
    var reader = MessageReader(bytes)
    do throws(MessageError) {
      let sender = try reader.node()
      return (try read(&reader), sender)
    } catch {
      return nil
    }
  }

  private static func read(_ reader: inout MessageReader) throws(MessageError) -> NodeRequest {
    switch try reader.byte() {
    case 1: .forward(try reader.request())
    case 2: .release(try reader.key())
    case 3: .probe
    case 4:
      .list(
        reactor: try reader.text(), after: try reader.optionalText(), limit: try reader.count())
    case 5: .applyGlobal(try reader.text())
    case 6: .describe
    case 7: .locate(try reader.all { (reader) throws(MessageError) in try reader.requestNumber() })
    default: throw MessageError()
    }
  }
}

extension NodeReply: ReadableMessage {
  /// The reply as bytes.
  var bytes: [UInt8] {
    var writer = MessageWriter()
    switch self {
    case .response(let response):
      writer.write(1 as UInt8)
      writer.write(response)
    case .ownedBy(let node):
      writer.write(2 as UInt8)
      writer.write(node)
    case .unavailable: writer.write(3 as UInt8)
    case .unknown: writer.write(4 as UInt8)
    case .running: writer.write(5 as UInt8)
    case .released: writer.write(6 as UInt8)
    case .alive: writer.write(7 as UInt8)
    case .sessions(let sessions):
      writer.write(8 as UInt8)
      writer.write(all: sessions) { $0.write($1) }
    case .applied: writer.write(9 as UInt8)
    case .description(let description):
      writer.write(10 as UInt8)
      writer.write(description.release)
      writer.write(description.sessions)
    case .absent(let numbers):
      writer.write(11 as UInt8)
      writer.write(all: numbers) { $0.write($1) }
    case .unreadable(let response):
      writer.write(12 as UInt8)
      writer.write(response)
    }
    return writer.bytes
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> NodeReply {
    switch try reader.byte() {
    case 1: .response(try reader.data())
    case 2: .ownedBy(try reader.node())
    case 3: .unavailable
    case 4: .unknown
    case 5: .running
    case 6: .released
    case 7: .alive
    case 8:
      .sessions(try reader.all { (reader) throws(MessageError) in try reader.summary() })
    case 9: .applied
    case 10:
      .description(NodeDescription(release: try reader.text(), sessions: try reader.count()))
    case 11:
      .absent(try reader.all { (reader) throws(MessageError) in try reader.requestNumber() })
    case 12: .unreadable(try reader.data())
    default: throw MessageError()
    }
  }
}
