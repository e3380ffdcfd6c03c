internal import ReactorLog

/// Reads the outcomes of idempotency keys.
extension HistoryReader {
  /// The hashes of all keys of clients with an outcome that is retained, at most 10,000 of them in pages.
  ///
  /// The message that begins the index has those of the pages, the end of the log those of the last, incomplete
  /// block of messages, and the last message of each complete block those of that block: of 256 messages, 16
  /// are read, at once.
  ///
  /// - Parameter head: The end of the log.
  /// - Returns: The hashes; `nil` if those of the pages are not known.
  /// - Throws: If the log cannot be read.
  func keys(of head: SessionHead) async throws(LogError) -> KeyHashes? {
    guard head.status == .stored else { return KeyHashes() }
    guard var hashes = try await beginning(of: head).keys?.hashes else { return nil }
    var nodes = head.index.nodes
    hashes.add(head.keys, replacing: &nodes)
    while !nodes.isEmpty {
      let part = Array(nodes.prefix(StreamReader.parallel))
      nodes.removeFirst(part.count)
      for (node, (_, message)) in zip(part, try await messages(part)) {
        hashes.add(message.outcomes)
        guard node.level > 0 else { continue }
        var others = message.index.nodes(below: node.level)
        hashes.add(message.keys, replacing: &others)
        nodes += others
      }
    }
    return hashes
  }

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
    var found = Outcomes(remaining: head.keyed, oldest: oldest, bound: bound)
    try await collect(&found, from: head.index.nodes, messages)
    guard !found.isComplete, head.hasBeginning else { return found.byName }
    try await collect(&found, from: try await beginning(of: head).pages.nodes, pages)
    return found.byName
  }

  /// Outcomes that are collected from the latest on.
  private struct Outcomes {
    /// The number of outcomes that the rest of the history has at most.
    var remaining: Int
    let oldest: Int64
    let bound: Int
    var byName: [String: StoredOutcome] = [:]
    /// Whether all further ones are too old.
    private var isTooOld = false

    init(remaining: Int, oldest: Int64, bound: Int) {
      self.remaining = remaining
      self.oldest = oldest
      self.bound = bound
    }

    var isComplete: Bool { isTooOld || remaining <= 0 || byName.count >= bound }

    mutating func add(_ message: some HistoryMessage) {
      remaining -= message.outcomes.count
      for outcome in message.outcomes.reversed() where byName[outcome.key.name] == nil {
        byName[outcome.key.name] = outcome
      }
      // The messages of the log are few. Pages are as many as the history is long.
      let last = message.outcomes.last?.at ?? (message is Page ? message.entries.last?.at : nil)
      if let last { isTooOld = last.milliseconds < oldest }
    }
  }

  private func collect<Message: HistoryMessage>(
    _ outcomes: inout Outcomes, from nodes: [HistoryIndex.Node], _ read: Read<Message>
  ) async throws(LogError) {
    var nodes = nodes
    while !nodes.isEmpty, !outcomes.isComplete {
      let part = Array(nodes.suffix(StreamReader.parallel))
      nodes.removeLast(part.count)
      guard part.allSatisfy({ $0.level == 0 }) else {
        nodes += try await expanding(part, read)
        continue
      }
      let found = try await read(part)
      for (_, message) in found.reversed() where !outcomes.isComplete { outcomes.add(message) }
    }
  }
}

extension KeyHashes {
  /// Adds the keys that a message names of those after the last complete block of an index, and removes these
  /// from the messages to read; without them they are read.
  fileprivate mutating func add(
    _ keys: KeyHashes?, replacing nodes: inout [HistoryIndex.Node]
  ) {
    guard let keys else { return }
    add(keys)
    nodes.removeAll { $0.level == 0 }
  }
}
