internal import ReactorLog
internal import Synchronization
internal import SystemThreads
internal import Telemetry

/// Reads the history of a session by the positions that its last message names.
struct HistoryReader: Sendable {
  /// The maximum number of entries per page.
  static let page = 1000
  /// The size at which a page ends, in bytes.
  private static let pageSize = 1 << 20
  /// The maximum number of messages that are decoded in one step.
  private static let window = 256

  let reader: StreamReader
  let names: StoreNames
  let key: SessionKey
  private let difference = LeaderDifference()

  init(reader: StreamReader, names: StoreNames, key: SessionKey) {
    (self.reader, self.names, self.key) = (reader, names, key)
  }

  private var stream: String { names.log(names.logNumber(of: key)) }
  private var pageStream: String { names.pages(names.snapshotNumber(of: key)) }

  // MARK: The end of the log

  /// Executes a function with the end of the session's log, from the stream's leader.
  ///
  /// The messages that the end names may be replaced by an anchor and deleted meanwhile: then the
  /// function is executed again, with the new end.
  ///
  /// - Parameters:
  ///   - isComplete: Whether the journal, the parameters and the pages are needed.
  ///   - known: The sequence of a message of the session that the stream has confirmed. If the
  ///     leader returns an end before it, the leader is behind.
  ///   - body: The function.
  /// - Returns: Its result.
  /// - Throws: If the log cannot be read.
  func withHead<Value: Sendable>(
    isComplete: Bool = true, notBefore known: Int = 0,
    _ body: (SessionHead) async throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    let start = Clock.milliseconds
    var head = try await lastHead(notBefore: known)
    while true {
      do throws(LogError) {
        if isComplete { head = try await completed(head) }
        return try await body(head)
      } catch {
        guard reader.mayBeOutdated(error, since: start) else { throw error }
        let next = try await lastHead(notBefore: known)
        guard next.first != head.first || next.epoch != head.epoch else {
          logMissing(error, head)
          throw error
        }
        head = next
      }
    }
  }

  /// Logs that a message or a page is missing to which the end of the log refers, and requests that
  /// the leader of the stream that lacks it steps down.
  ///
  /// If a page is missing, the leader of the LOG stream does not step down: it can be the only
  /// replica with all messages.
  private func logMissing(_ error: LogError, _ head: SessionHead) {
    // The caller logs other errors.
    guard case .unavailable(let reason) = error else { return }
    reader.engine.logger.warning(
      "a session is not available because messages are missing",
      ["reactor": key.reactor, "session": key.id, "reason": reason])
    let (stream, sequence) = difference.last ?? (stream, head.sequence)
    reader.leader(of: stream, differsAt: sequence)
  }

  /// The end of the session's log, see ``withHead(isComplete:notBefore:_:)``.
  func head(isComplete: Bool = true) async throws(LogError) -> SessionHead {
    try await withHead(isComplete: isComplete) { head async throws(LogError) in head }
  }

  /// The end of the log that is not before a message, see ``withHead(isComplete:notBefore:_:)``.
  private func lastHead(notBefore known: Int) async throws(LogError) -> SessionHead {
    try await reader.waitForLeader(of: stream, having: known) { () async throws(LogError) in
      let head = try await lastHead()
      if head.sequence >= known { return .found(head) }
      // The messages of a session that has ended are deleted with those around them.
      if try await reader.bounds(of: stream).first > known { return .found(try await lastHead()) }
      return .behind(at: head.sequence)
    }
  }

  /// The end of the log, with only those parts that its last message contains.
  private func lastHead() async throws(LogError) -> SessionHead {
    guard let last = try await reader.last(names.logSubject(of: key), in: stream) else {
      return SessionHead()
    }
    return SessionHead(try decode(last), at: last.sequence, by: last.mark?.writer)
  }

  /// Adds the parameters, the pages and the journal to an end of the log whose message does not
  /// repeat them.
  private func completed(_ head: SessionHead) async throws(LogError) -> SessionHead {
    guard head.status == .stored else { return head }
    var head = head
    if head.first != head.sequence, head.hasParameters || head.hasBeginning {
      let first = try await message(at: head.first)
      (head.parameters, head.beginning) = (first.parameters, first.beginning)
    }
    if head.base.count > 0 { head.journal = try await journal(of: head) }
    return head
  }

  /// The pages before the index of a head.
  func beginning(of head: SessionHead) async throws(LogError) -> Beginning {
    guard head.hasBeginning, head.beginning.isEmpty else { return head.beginning }
    return try await message(at: head.first).beginning
  }

  /// The time of the creation, in milliseconds, or `nil` if an earlier release has replaced the message that
  /// had it.
  func creation(of head: SessionHead) async throws(LogError) -> Int64? {
    if let created = head.created { return created }
    guard head.first != head.sequence else { return nil }
    return try await message(at: head.first).creation
  }

  /// The complete journal of a head: that of the base, and the changes since then.
  private func journal(of head: SessionHead) async throws(LogError) -> Journal {
    let since = head.base.sequence
    var nodes = head.index.nodes.filter { $0.position.sequence >= since }
    var journal = Journal()
    while !nodes.isEmpty {
      let part = Array(nodes.prefix(Self.window))
      nodes.removeFirst(part.count)
      guard part.allSatisfy({ $0.level == 0 }) else {
        nodes =
          try await expanding(part, messages).filter { $0.position.sequence >= since } + nodes
        continue
      }
      for (sequence, message) in try await messages(part) {
        if sequence == since {
          journal = message.journal ?? Journal()
        } else {
          journal.apply(message.batch)
        }
      }
    }
    return journal
  }

  /// Reads messages by their nodes: the message of a node of level 0, and the last message of a
  /// block.
  typealias Read<Message> =
    @Sendable ([HistoryIndex.Node]) async throws(LogError) -> [(sequence: Int, message: Message)]

  /// Replaces each block by its messages and blocks.
  func expanding<Message: IndexedMessage>(
    _ nodes: [HistoryIndex.Node], _ read: Read<Message>
  ) async throws(LogError) -> [HistoryIndex.Node] {
    let blocks = nodes.filter { $0.level > 0 }
    var found = try await read(blocks)[...]
    return nodes.flatMap { node in
      guard node.level > 0, let block = found.popFirst() else { return [node] }
      return block.message.contents(of: node)
    }
  }

  /// The messages that have the entries after a version, up to another one.
  private func leaves<Message: IndexedMessage>(
    of nodes: [HistoryIndex.Node], after version: Int, upTo stop: Int, end: Int,
    _ read: Read<Message>
  ) async throws(LogError) -> ArraySlice<HistoryIndex.Node> {
    var nodes = nodes.covering(after: version, upTo: stop, end: end)
    while nodes.contains(where: { $0.level > 0 }) {
      nodes = try await expanding(nodes, read).covering(after: version, upTo: stop, end: end)
    }
    return nodes[...]
  }

  // MARK: Entries

  /// The entries after a version, at most a page; those that retention has deleted are missing from the
  /// front.
  func entries(
    of head: SessionHead, after version: Int, limit: Int
  ) async throws(LogError) -> [LogEntry] {
    guard head.status == .stored, version < head.version, limit > 0 else { return [] }
    var version = max(0, version)
    let paged = head.paged
    guard version < paged else {
      return try await entries(
        of: head.index.nodes, in: stream, after: version, limit: limit, end: head.version, messages)
    }
    let beginning = try await beginning(of: head)
    version = max(version, beginning.floor)
    guard version < paged else {
      return try await entries(of: head, after: version, limit: limit)
    }
    return try await entries(
      of: beginning.pages.nodes, in: pageStream, after: version, limit: limit, end: paged, pages)
  }

  private func entries<Message: HistoryMessage>(
    of nodes: [HistoryIndex.Node], in stream: String, after version: Int, limit: Int, end: Int,
    _ read: Read<Message>
  ) async throws(LogError) -> [LogEntry] {
    let stop = min(end, version + min(limit, Self.page))
    var leaves = try await leaves(of: nodes, after: version, upTo: stop, end: end, read)
    var entries: [LogEntry] = []
    var size = 0
    while !leaves.isEmpty, size < Self.pageSize {
      let part = leaves.prefix(StreamReader.parallel)
      leaves = leaves.dropFirst(part.count)
      for (_, message) in try await read(Array(part))
      where size < Self.pageSize {
        for entry in message.entries where entry.version > version && entry.version <= stop {
          entries.append(entry)
          size += 128 + entry.mutation.count + (entry.action?.count ?? 0)
        }
      }
    }
    let expected = version + 1
    let gap = entries.enumerated().first { $1.version != expected + $0 }?.offset
    guard gap == nil, !entries.isEmpty else {
      difference.record(stream, at: nodes.last?.position.sequence ?? 0)
      throw .unavailable(
        "The leader of \(stream) does not have the version \(expected + (gap ?? 0)).")
    }
    return entries
  }

  /// The messages of the index of a head, in order, a part at a time.
  ///
  /// - Parameters:
  ///   - head: The end of the log.
  ///   - sequence: Only messages after this sequence.
  ///   - stop: Only messages before this sequence.
  ///   - body: Called with each message.
  /// - Throws: If the log cannot be read, or the error of `body`.
  func forEachMessage(
    of head: SessionHead, after sequence: Int, before stop: Int = .max,
    _ body: (LogMessage) async throws(LogError) -> Void
  ) async throws(LogError) {
    var nodes = head.index.nodes.between(sequence, stop)
    while !nodes.isEmpty {
      let part = Array(nodes.prefix(StreamReader.parallel))
      nodes.removeFirst(part.count)
      guard part.allSatisfy({ $0.level == 0 }) else {
        nodes = try await expanding(part, messages).between(sequence, stop) + nodes
        continue
      }
      for (_, message) in try await messages(part) {
        try await body(message)
      }
    }
  }

  // MARK: Messages

  private func message(at sequence: Int) async throws(LogError) -> LogMessage {
    try decode(
      try await message(at: sequence, in: stream, of: names.logSubject(of: key)))
  }

  private func message(
    at sequence: Int, in stream: String, of subject: String
  ) async throws(LogError) -> StreamMessage {
    guard let message = try await reader.message(at: sequence, in: stream) else {
      difference.record(stream, at: sequence)
      throw .unavailable("The leader of \(stream) does not have the message \(sequence).")
    }
    guard message.subject == subject else {
      difference.record(stream, at: sequence)
      throw .unavailable(
        "The leader of \(stream) has one of \(message.subject) as the message \(sequence).")
    }
    return message
  }

  var messages: Read<LogMessage> {
    { [self] nodes async throws(LogError) in
      try await read(nodes, in: stream, names.logSubject(of: key)) {
        message throws(LogError) in try decode(message)
      }
    }
  }

  var pages: Read<Page> {
    { [self] nodes async throws(LogError) in
      try await read(nodes, in: pageStream, names.pageSubject(of: key)) {
        message throws(LogError) in
        guard let page = Page(message.payload) else {
          throw .corrupt("The page \(message.sequence) of \(message.subject) cannot be read.")
        }
        return page
      }
    }
  }

  private func read<Message: IndexedMessage>(
    _ nodes: [HistoryIndex.Node], in stream: String, _ subject: String,
    _ decode: @escaping @Sendable (StreamMessage) throws(LogError) -> Message
  ) async throws(LogError) -> [(sequence: Int, message: Message)] {
    let messages = try await Concurrently.values(nodes) {
      node async throws(LogError) -> Message in
      try decode(
        try await message(at: node.position.sequence, in: stream, of: subject))
    }
    return zip(nodes, messages).map { ($0.position.sequence, $1) }
  }

  /// Decodes a message, and checks that it follows the one that it names.
  private func decode(_ message: StreamMessage) throws(LogError) -> LogMessage {
    guard let expected = message.expected,
      let decoded = LogMessage(message.payload, expecting: expected)
    else {
      throw .corrupt("The message \(message.sequence) of \(message.subject) cannot be read.")
    }
    let previous = decoded.index.nodes.last?.position.sequence
    guard previous == nil || previous == expected else {
      reader.engine.counters.forks.add()
      throw .corrupt("The message \(message.sequence) of \(message.subject) follows another one.")
    }
    return decoded
  }
}

/// The last message that a leader did not have, or in whose place it had another one.
private final class LeaderDifference: Sendable {
  private let found = Mutex<(stream: String, sequence: Int)?>(nil)

  var last: (stream: String, sequence: Int)? { found.withLock { $0 } }

  func record(_ stream: String, at sequence: Int) { found.withLock { $0 = (stream, sequence) } }
}

/// A message that names its predecessors: one of a log, a page, or a record of the feed.
protocol IndexedMessage: Sendable {
  /// The version before the first entry.
  var version: Int { get }
  /// The predecessors.
  var index: HistoryIndex { get }
}

/// A message of a history: one of a log, or a page.
protocol HistoryMessage: IndexedMessage {
  var entries: [LogEntry] { get }
  var outcomes: [StoredOutcome] { get }
}

extension IndexedMessage {
  /// The messages and blocks of a block that ends with this message.
  func contents(of node: HistoryIndex.Node) -> [HistoryIndex.Node] {
    index.nodes(below: node.level) + [
      HistoryIndex.Node(
        level: 0,
        position: HistoryIndex.Position(version: version, sequence: node.position.sequence))
    ]
  }
}

extension LogMessage: HistoryMessage {
  var entries: [LogEntry] { batch.entries }
  var outcomes: [StoredOutcome] { batch.outcomes }
}

extension Page: HistoryMessage {}
