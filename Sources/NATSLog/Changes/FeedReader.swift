internal import ReactorLog

/// Reads the records of the FEED stream.
struct FeedReader: Sendable {
  typealias Positioned = (sequence: Int, record: FeedRecord)

  /// The number of records that a read returns at most.
  private static let bound = 256

  private let reader: StreamReader
  private let names: StoreNames

  init(_ store: NATSStore) {
    reader = store.reader
    names = store.names
  }

  /// The last record, or `nil` for none.
  func last() async throws(LogError) -> Positioned? {
    guard let message = try await reader.last(names.feedSubject, in: names.feed) else { return nil }
    guard let record = FeedRecord(message.payload) else {
      throw .corrupt("The record \(message.sequence) of the feed cannot be read.")
    }
    return (message.sequence, record)
  }

  /// The record at a sequence, or `nil` if it is not retained.
  func record(at sequence: Int) async throws(LogError) -> FeedRecord? {
    try await reader.message(at: sequence, in: names.feed).flatMap { FeedRecord($0.payload) }
  }

  /// The number before the oldest retained change of a feed.
  func floor(of last: FeedRecord) async throws(LogError) -> Int {
    let first = try await reader.bounds(of: names.feed).first
    guard let record = try await record(at: first) else { return last.began }
    return max(record.number, last.began)
  }

  /// The records with the changes after a number, in order; those that are not retained are missing from
  /// the front.
  ///
  /// - Parameters:
  ///   - last: The last record.
  ///   - number: The number before the first change.
  ///   - stop: The number of the last change.
  /// - Returns: The records, the last one included.
  /// - Throws: If they cannot be read.
  func records(
    of last: Positioned, after number: Int, upTo stop: Int
  ) async throws(LogError) -> [Positioned] {
    let own = HistoryIndex.Node(
      level: 0,
      position: HistoryIndex.Position(version: last.record.number, sequence: last.sequence))
    let end = last.record.lastNumber
    var nodes = (last.record.index.nodes + [own]).covering(after: number, upTo: stop, end: end)
    var found: [Int: FeedRecord] = [last.sequence: last.record]
    while let index = nodes.firstIndex(where: { $0.level > 0 }), index < Self.bound {
      let node = nodes[index]
      let record = try await record(at: node.position.sequence)
      found[node.position.sequence] = record
      // Without the block's last record those before it are not retained either.
      let contents = record?.contents(of: node) ?? []
      let next = index + 1 < nodes.count ? nodes[index + 1].position.version : end
      nodes.replaceSubrange(
        index...index, with: contents.covering(after: number, upTo: stop, end: next))
    }
    let leaves = nodes.prefix { $0.level == 0 }.prefix(Self.bound)
    let missing = leaves.map(\.position.sequence).filter { found[$0] == nil }
    for (sequence, message) in zip(
      missing, try await reader.messages(at: missing, in: names.feed))
    {
      found[sequence] = message.flatMap { FeedRecord($0.payload) }
    }
    return leaves.compactMap { leaf in
      found[leaf.position.sequence].map { (leaf.position.sequence, $0) }
    }
  }
}
