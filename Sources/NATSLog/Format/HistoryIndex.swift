/// The positions of a history's messages, as far as one message names them.
///
/// Level 0 has the messages of the last, incomplete block of 16, level 1 the complete blocks of the
/// last, incomplete block of 256, and so on: a message names as many positions as the sum of the
/// hexadecimal digits of its number. The position of a block is that of its last message, which names
/// the others. So each message of a history of n messages is found in log16(n) steps, the messages of
/// a range are read concurrently in each step, and no message is ever rewritten.
struct HistoryIndex: Equatable, Sendable {
  /// The number of messages in a block, and of blocks in the next larger one.
  static let fanOut = 16
  /// The maximum number of levels: the number of messages that they lead to fits into 64 bits.
  static let levelBound = 15

  /// The position of a message or a block.
  struct Position: Equatable, Sendable {
    /// The version before its first entry.
    let version: Int
    /// The stream sequence of the message, or of the block's last one.
    let sequence: Int
  }

  /// A position with its level.
  struct Node: Equatable, Sendable {
    let level: Int
    let position: Position
  }

  /// The positions by level, each in order.
  private(set) var levels: [[Position]]

  /// Creates an index; empty for a new history.
  init(_ levels: [[Position]] = []) {
    self.levels = levels
  }

  /// Adds the position of the next message.
  mutating func append(_ position: Position) {
    var carried = position
    var level = 0
    while true {
      if level == levels.count { levels.append([]) }
      levels[level].append(carried)
      guard levels[level].count == Self.fanOut else { return }
      carried = Position(version: levels[level][0].version, sequence: carried.sequence)
      levels[level] = []
      level += 1
    }
  }

  /// Whether there are messages after the last complete block.
  var hasIncompleteBlock: Bool { levels.first?.isEmpty == false }

  /// The number of messages that the positions lead to.
  var count: Int {
    levels.reversed().reduce(0) { $0 * Self.fanOut + $1.count }
  }

  /// Removes the messages and blocks that have only entries up to a version.
  ///
  /// - Parameters:
  ///   - version: The last version that is not needed.
  ///   - end: The version after the last message.
  /// - Returns: The removed ones, in order.
  mutating func removeFirst(upTo version: Int, end: Int) -> [Node] {
    let all = nodes
    let kept = all.indices.firstIndex { index in
      (index + 1 < all.count ? all[index + 1].position.version : end) > version
    }
    let removed = Array(all[..<(kept ?? all.count)])
    for node in removed { levels[node.level].removeFirst() }
    return removed
  }

  /// The messages and blocks in order.
  var nodes: [Node] { nodes(below: levels.count) }

  /// The messages and blocks below a level, in order.
  ///
  /// Together with the message that has this index, they are the contents of the block of that
  /// level that the message completes.
  func nodes(below level: Int) -> [Node] {
    levels.prefix(level).enumerated().reversed().flatMap { level, positions in
      positions.map { Node(level: level, position: $0) }
    }
  }
}

extension [HistoryIndex.Node] {
  /// The nodes that contain the entries of a range of versions.
  ///
  /// - Parameters:
  ///   - version: The version before the first entry that is needed.
  ///   - stop: The last version that is needed.
  ///   - end: The version after the last node.
  /// - Returns: The nodes in order.
  func covering(after version: Int, upTo stop: Int, end: Int) -> [HistoryIndex.Node] {
    indices.compactMap { index in
      let next = index + 1 < count ? self[index + 1].position.version : end
      return next > version && self[index].position.version < stop
        && next > self[index].position.version
        ? self[index] : nil
    }
  }

  /// The messages at sequences between two others, and the blocks that may contain some of these.
  ///
  /// - Parameters:
  ///   - sequence: Only messages after this sequence.
  ///   - stop: Only messages before this sequence.
  /// - Returns: The nodes in order.
  func between(_ sequence: Int, _ stop: Int) -> [HistoryIndex.Node] {
    indices.compactMap { index in
      let node = self[index]
      // The messages of a block follow the node before it.
      let begin =
        node.level == 0 ? node.position.sequence : index > 0 ? self[index - 1].position.sequence : 0
      return node.position.sequence > sequence && begin < stop ? node : nil
    }
  }
}
