internal import ReactorLog

/// Reads the outcomes of idempotency keys.
extension HistoryReader {
  /// The hashes of the keys of clients that have a retained outcome; of those in pages, about the
  /// latest 10,000.
  ///
  /// The message that begins the index has the hashes of the pages, the end of the log those of the
  /// last, incomplete block of messages, and the last message of each complete block those of that
  /// block. So 16 of 256 messages are read, concurrently.
  ///
  /// - Parameter head: The end of the log.
  /// - Returns: The hashes, or `nil` if those of the pages are not known.
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
    var search = OutcomeSearch(of: head, bound: bound, firstStep: StreamReader.parallel)
    while !search.isComplete { try await proceed(&search, since: oldest) }
    return search.byName
  }

  /// Executes the next step of a search, which reads messages concurrently, or finds that there are
  /// no further ones.
  ///
  /// - Parameters:
  ///   - search: The search.
  ///   - oldest: The time before which outcomes are not retained, in milliseconds.
  /// - Throws: If the log cannot be read.
  func proceed(_ search: inout OutcomeSearch, since oldest: Int64) async throws(LogError) {
    let part = search.takeNext()
    guard part.isEmpty else {
      return search.readsPages
        ? try await read(part, pages, into: &search, since: oldest)
        : try await read(part, messages, into: &search, since: oldest)
    }
    guard !search.readsPages, search.head.hasBeginning else { return search.end() }
    search.didReadLog(pages: try await beginning(of: search.head).pages.nodes)
  }

  private func read<Message: HistoryMessage>(
    _ part: [HistoryIndex.Node], _ read: Read<Message>, into search: inout OutcomeSearch,
    since oldest: Int64
  ) async throws(LogError) {
    if part.contains(where: { $0.level > 0 }) {
      search.expand(into: try await expanding(part, read))
    } else {
      search.add(try await read(part).map(\.message), since: oldest)
    }
  }
}

extension KeyHashes {
  /// Adds the hashes that a message has of the messages after the last complete block of its index,
  /// and removes these messages from `nodes`, the messages to read.
  ///
  /// Without the hashes, nothing changes: the messages are read.
  fileprivate mutating func add(
    _ keys: KeyHashes?, replacing nodes: inout [HistoryIndex.Node]
  ) {
    guard let keys else { return }
    add(keys)
    nodes.removeAll { $0.level == 0 }
  }
}
