internal import ReactorLog

extension NodeState: MessageField {}

extension ForwardedRequest.Kind: MessageField {}

extension NodeID: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: name, incarnation) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> NodeID {
    try NodeID(name: reader.read(), incarnation: reader.read())
  }
}

extension SessionKey: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: reactor, id) }

  /// Throws for an invalid id.
  static func read(_ reader: inout MessageReader) throws(MessageError) -> SessionKey {
    let key = SessionKey(reactor: try reader.read(), id: try reader.read())
    guard SessionKey.isValid(id: key.id) else { throw MessageError() }
    return key
  }
}

extension Cursor: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: epoch, version) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Cursor {
    try Cursor(epoch: reader.read(), version: reader.version())
  }
}

extension Heartbeat: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(
      fields: node, state, protocols.lowerBound, protocols.upperBound, configuration,
      fingerprints.count)
    for (reactor, hash) in fingerprints.sorted(by: { $0.key < $1.key }) {
      writer.write(fields: reactor, hash)
    }
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Heartbeat {
    let (node, state): (NodeID, NodeState) = (try reader.read(), try reader.read())
    let (lowest, highest) = (try reader.byte(), try reader.byte())
    guard lowest <= highest else { throw MessageError() }
    var heartbeat = Heartbeat(
      node: node, state: state, protocols: lowest...highest, configuration: try reader.read())
    for _ in 0..<(try reader.length()) {
      let reactor = try String.read(&reader)
      heartbeat.fingerprints[reactor] = try UInt64.read(&reader)
    }
    return heartbeat
  }
}

extension RequestNumber: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: edge, count) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> RequestNumber {
    try RequestNumber(edge: reader.read(), count: reader.read())
  }
}

extension ForwardedRequest: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: number, session, kind, isRepeated, payload)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> ForwardedRequest {
    try ForwardedRequest(
      number: reader.read(), session: reader.read(), kind: reader.read(), isRepeated: reader.read(),
      payload: reader.read())
  }
}

extension ReportedStreams: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: name, count) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> ReportedStreams {
    try ReportedStreams(name: reader.read(), count: reader.count())
  }
}

extension StreamReport: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: subscription, part, isLast, streams)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> StreamReport {
    try StreamReport(
      subscription: reader.read(), part: reader.count(), isLast: reader.read(),
      streams: reader.read())
  }
}

extension PublishedCommits: MessageField {
  func write(to writer: inout MessageWriter) {
    writer.write(fields: owner, session, epoch, base, version, state)
  }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> PublishedCommits {
    try PublishedCommits(
      owner: reader.read(), session: reader.read(), epoch: reader.read(), base: reader.integer(),
      version: reader.version(), state: reader.read())
  }
}

extension Digest.Change: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: session, cursor) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Digest.Change {
    try Digest.Change(session: reader.read(), cursor: reader.read())
  }
}

extension Digest: MessageField {
  func write(to writer: inout MessageWriter) { writer.write(fields: changes, subscriptions) }

  static func read(_ reader: inout MessageReader) throws(MessageError) -> Digest {
    try Digest(changes: reader.read(), subscriptions: reader.read())
  }
}
