internal import ReactorLog
internal import Telemetry

/// Reads the history of a session by the positions that its last message names.
struct HistoryReader: Sendable {
  /// The maximum number of entries per page.
  static let page = 1000
  /// The size at which a page ends, in bytes.
  private static let pageSize = 1 << 20
  /// The maximum number of messages that are decoded at once.
  private static let window = 256

  let reader: StreamReader
  let names: StoreNames
  let key: SessionKey

  private var stream: String { names.log(names.logNumber(of: key)) }

  /// A message with its sequence.
  typealias Positioned = (sequence: Int, message: LogMessage)

  // MARK: The end of the log

  /// The end of the session's log, from the stream's leader.
  ///
  /// - Parameter isComplete: Whether the journal and the parameters are needed.
  /// - Returns: The end of the log.
  /// - Throws: If the log cannot be read.
  func head(isComplete: Bool = true) async throws(LogError) -> SessionHead {
    guard let last = try await reader.last(names.logSubject(of: key), in: stream) else {
      return SessionHead()
    }
    let message = try decode(last)
    var head = SessionHead(message, at: last.sequence, by: last.mark?.writer)
    guard isComplete, head.status == .stored else { return head }
    if head.hasParameters, message.first != nil {
      head.parameters = try await self.message(at: head.first).parameters
    }
    if head.base.count > 0 { head.journal = try await journal(of: head) }
    return head
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
          try await expanding(part, in: stream).filter { $0.position.sequence >= since } + nodes
        continue
      }
      for (sequence, message) in try await messages(at: part.map(\.position.sequence), in: stream) {
        if sequence == since {
          journal = message.journal ?? Journal()
        } else {
          journal.apply(message.batch)
        }
      }
    }
    return journal
  }

  /// Replaces each block by its messages and blocks.
  private func expanding(
    _ nodes: [HistoryIndex.Node], in stream: String
  ) async throws(LogError) -> [HistoryIndex.Node] {
    let blocks = nodes.filter { $0.level > 0 }
    var found = try await messages(at: blocks.map(\.position.sequence), in: stream)[...]
    return nodes.flatMap { node in
      guard node.level > 0, let block = found.popFirst() else { return [node] }
      return Self.contents(of: node, block.message, block.sequence)
    }
  }

  /// The messages and blocks of a block.
  private static func contents(
    of node: HistoryIndex.Node, _ message: LogMessage, _ sequence: Int
  ) -> [HistoryIndex.Node] {
    message.index.nodes(below: node.level) + [
      HistoryIndex.Node(
        level: 0,
        position: HistoryIndex.Position(version: message.version, sequence: sequence))
    ]
  }

  // MARK: Entries

  /// A part of a history that is in one stream.
  private struct Segment {
    var stream: String
    var nodes: [HistoryIndex.Node]
    /// The last version of the part.
    var end: Int
    var origin: LogMessage.Origin?
  }

  /// The entries after a version, at most a page.
  func entries(
    of head: SessionHead, after version: Int, limit: Int
  ) async throws(LogError) -> [LogEntry] {
    guard head.status == .stored, version < head.version, limit > 0 else { return [] }
    let version = max(0, version)
    let segment = try await segment(of: head, containing: version + 1)
    let stop = min(segment.end, version + min(limit, Self.page))
    var leaves = try await leaves(of: segment, after: version, upTo: stop)[...]
    var entries: [LogEntry] = []
    var size = 0
    while !leaves.isEmpty, size < Self.pageSize {
      let part = leaves.prefix(StreamReader.parallel)
      leaves = leaves.dropFirst(part.count)
      for (_, message) in try await messages(
        at: part.map(\.position.sequence), in: segment.stream)
      where size < Self.pageSize {
        for entry in message.batch.entries where entry.version > version && entry.version <= stop {
          entries.append(entry)
          size += 128 + entry.mutation.count + (entry.action?.count ?? 0)
        }
      }
    }
    guard entries.first?.version == version + 1 else {
      throw .corrupt("The entry of version \(version + 1) is missing.")
    }
    return entries
  }

  /// The revisions of globals at a version.
  func globals(of head: SessionHead, at version: Int) async throws(LogError) -> Journal {
    guard version < head.version else { return head.journal }
    var globals = Journal()
    guard !head.journal.globals.isEmpty else { return globals }
    var reached = 0
    while reached < version {
      let page = try await entries(of: head, after: reached, limit: version - reached)
      guard let last = page.last else { break }
      globals.applyGlobals(of: page, upTo: version)
      reached = last.version
    }
    return globals
  }

  /// The origin of a fork at a version: the message that has the last entry; `nil` at version 0.
  func origin(of head: SessionHead, at version: Int) async throws(LogError) -> LogMessage.Origin? {
    guard version > 0 else { return nil }
    var number = names.logNumber(of: key)
    var segment = Segment(
      stream: stream, nodes: head.index.nodes, end: head.version, origin: head.origin)
    while let origin = segment.origin, version <= origin.version {
      segment = try await self.segment(at: origin)
      number = origin.stream
    }
    let leaves = try await leaves(of: segment, after: version - 1, upTo: version)
    guard let last = leaves.last else {
      throw .corrupt("The entry of version \(version) is missing.")
    }
    return LogMessage.Origin(stream: number, sequence: last.position.sequence, version: version)
  }

  private func segment(
    of head: SessionHead, containing version: Int
  ) async throws(LogError) -> Segment {
    var segment = Segment(
      stream: stream, nodes: head.index.nodes, end: head.version, origin: head.origin)
    while let origin = segment.origin, version <= origin.version {
      segment = try await self.segment(at: origin)
    }
    return segment
  }

  /// The part of another session's history that a fork continues.
  private func segment(at origin: LogMessage.Origin) async throws(LogError) -> Segment {
    let stream = names.log(origin.stream)
    guard let found = try await messages(at: [origin.sequence], in: stream).first else {
      throw .corrupt("The origin of the fork is missing.")
    }
    var index = found.message.index
    index.append(
      HistoryIndex.Position(version: found.message.version, sequence: origin.sequence))
    return Segment(
      stream: stream, nodes: index.nodes, end: origin.version, origin: found.message.origin)
  }

  /// The messages that have the entries after a version, up to another one.
  private func leaves(
    of segment: Segment, after version: Int, upTo stop: Int
  ) async throws(LogError) -> [HistoryIndex.Node] {
    var nodes = segment.nodes.covering(after: version, upTo: stop, end: segment.end)
    while nodes.contains(where: { $0.level > 0 }) {
      nodes = try await expanding(nodes, in: segment.stream)
        .covering(after: version, upTo: stop, end: segment.end)
    }
    return nodes
  }

  // MARK: Messages

  private func message(at sequence: Int) async throws(LogError) -> LogMessage {
    guard let found = try await messages(at: [sequence], in: stream).first else {
      throw .corrupt("The message \(sequence) is missing.")
    }
    return found.message
  }

  private func messages(
    at sequences: [Int], in stream: String
  ) async throws(LogError) -> [Positioned] {
    let found = try await reader.messages(at: sequences, in: stream)
    var messages: [Positioned] = []
    messages.reserveCapacity(found.count)
    for (sequence, message) in zip(sequences, found) {
      guard let message else { throw .corrupt("The message \(sequence) of \(stream) is missing.") }
      messages.append((sequence, try decode(message)))
    }
    return messages
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

  // MARK: Outcomes

  /// The outcomes of idempotency keys that are not older than a time, from the latest on.
  ///
  /// - Parameters:
  ///   - head: The end of the log.
  ///   - oldest: The time, in milliseconds.
  ///   - bound: The maximum number of outcomes.
  /// - Returns: The outcomes by the names of their keys.
  /// - Throws: If the log cannot be read.
  func outcomes(
    of head: SessionHead, since oldest: Int64, bound: Int
  ) async throws(LogError) -> [String: StoredOutcome] {
    var outcomes: [String: StoredOutcome] = [:]
    var remaining = head.keyed
    var nodes = head.index.nodes
    while !nodes.isEmpty, remaining > 0, outcomes.count < bound {
      let part = Array(nodes.suffix(StreamReader.parallel))
      nodes.removeLast(part.count)
      guard part.allSatisfy({ $0.level == 0 }) else {
        nodes += try await expanding(part, in: stream)
        continue
      }
      let found = try await messages(at: part.map(\.position.sequence), in: stream)
      for (_, message) in found.reversed() where !message.batch.outcomes.isEmpty {
        remaining -= 1
        for outcome in message.batch.outcomes where outcomes[outcome.key.name] == nil {
          outcomes[outcome.key.name] = outcome
        }
      }
      if let first = found.first, first.message.at < oldest { break }
    }
    return outcomes
  }
}
