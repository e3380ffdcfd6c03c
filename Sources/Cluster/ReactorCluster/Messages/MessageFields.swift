internal import ReactorLog

/// Fields of messages.
extension MessageWriter {
  mutating func write(_ node: NodeID) {
    write(node.name)
    write(node.incarnation)
  }

  mutating func write(_ key: SessionKey) {
    write(key.reactor)
    write(key.id)
  }

  mutating func write(_ cursor: Cursor) {
    write(cursor.epoch)
    write(cursor.version)
  }

  mutating func write(_ heartbeat: Heartbeat) {
    write(heartbeat.node)
    write(heartbeat.state.rawValue)
    write(heartbeat.protocols.lowerBound)
    write(heartbeat.protocols.upperBound)
    write(heartbeat.configuration)
    write(all: heartbeat.fingerprints.sorted { $0.key < $1.key }) { writer, entry in
      writer.write(entry.key)
      writer.write(entry.value)
    }
  }

  mutating func write(_ number: RequestNumber) {
    write(number.edge)
    write(number.count)
  }

  mutating func write(_ request: ForwardedRequest) {
    write(request.number)
    write(request.session)
    write(request.kind.rawValue)
    write(request.isRepeated)
    write(request.payload)
  }

  mutating func write(_ report: StreamReport) {
    write(report.subscription)
    write(report.part)
    write(report.isLast)
    write(all: report.streams) { writer, streams in
      writer.write(streams.name) { $0.write($1) }
      writer.write(streams.count)
    }
  }

  mutating func write(_ commits: PublishedCommits) {
    write(commits.owner)
    write(commits.session)
    write(commits.epoch)
    write(commits.base)
    write(commits.version)
    write(commits.state)
  }

  mutating func write(_ digest: Digest) {
    write(all: digest.changes) { writer, change in
      writer.write(change.session)
      writer.write(change.cursor)
    }
    write(digest.subscriptions)
  }
}

extension MessageReader {
  mutating func node() throws(MessageError) -> NodeID {
    NodeID(name: try text(), incarnation: try number())
  }

  /// Reads the key of a session.
  ///
  /// Throws for an invalid id.
  mutating func key() throws(MessageError) -> SessionKey {
    let key = SessionKey(reactor: try text(), id: try text())
    guard SessionKey.isValid(id: key.id) else { throw MessageError() }
    return key
  }

  mutating func cursor() throws(MessageError) -> Cursor {
    Cursor(epoch: try text(), version: try version())
  }

  mutating func heartbeat() throws(MessageError) -> Heartbeat {
    let node = try node()
    guard let state = NodeState(rawValue: try byte()) else { throw MessageError() }
    let (lowest, highest) = (try byte(), try byte())
    guard lowest <= highest else { throw MessageError() }
    let configuration = try number()
    let fingerprints = try all { (reader) throws(MessageError) in
      (try reader.text(), try reader.number())
    }
    return Heartbeat(
      node: node, state: state, protocols: lowest...highest, configuration: configuration,
      fingerprints: Dictionary(fingerprints) { $1 })
  }

  mutating func requestNumber() throws(MessageError) -> RequestNumber {
    RequestNumber(edge: try node(), count: try number())
  }

  mutating func request() throws(MessageError) -> ForwardedRequest {
    let number = try requestNumber()
    let key = try key()
    guard let kind = ForwardedRequest.Kind(rawValue: try byte()) else { throw MessageError() }
    return ForwardedRequest(
      number: number, session: key, kind: kind, isRepeated: try bool(), payload: try data())
  }

  mutating func report() throws(MessageError) -> StreamReport {
    StreamReport(
      subscription: try number(), part: try count(), isLast: try bool(),
      streams: try all { (reader) throws(MessageError) in
        ReportedStreams(name: try reader.optionalText(), count: try reader.count())
      })
  }

  mutating func commits() throws(MessageError) -> PublishedCommits {
    PublishedCommits(
      owner: try node(), session: try key(), epoch: try text(), base: try integer(),
      version: try version(), state: try data())
  }

  mutating func digest() throws(MessageError) -> Digest {
    let changes = try all { (reader) throws(MessageError) in
      Digest.Change(session: try reader.key(), cursor: try reader.cursor())
    }
    return Digest(changes: changes, subscriptions: try number())
  }
}
