/// Session ids in the ascending order of their bytes.
///
/// The ids are in blocks of bounded length: a search compares O(log n) ids, an insertion moves the
/// ids of one block, and the cost of a page is proportional to its length.
package struct OrderedIDs: Sendable {
  /// A block of this length is split: an insertion moves at most two kilobytes.
  private static let blockLength = 128

  /// The blocks, none of them empty, in ascending order.
  private var blocks: [[String]] = []

  /// Whether the set has no ids.
  package var isEmpty: Bool { blocks.isEmpty }

  /// Creates an empty set.
  package init() {}

  /// Creates a set of ids in any order, none of them twice.
  package init(_ ids: some Sequence<String>) {
    let ids = ids.sorted()
    // Fill each block to half, as after a split.
    let length = Self.blockLength / 2
    blocks = stride(from: 0, to: ids.count, by: length).map {
      Array(ids[$0..<min($0 + length, ids.count)])
    }
  }

  /// Inserts an id unless it is present.
  package mutating func insert(_ id: String) {
    guard !blocks.isEmpty else {
      blocks = [[id]]
      return
    }
    let block = block(for: id)
    let place = Self.place(of: id, in: blocks[block])
    guard place == blocks[block].count || blocks[block][place] != id else { return }
    blocks[block].insert(id, at: place)
    guard blocks[block].count >= Self.blockLength else { return }
    let half = Self.blockLength / 2
    blocks.insert(Array(blocks[block][half...]), at: block + 1)
    blocks[block].removeSubrange(half...)
  }

  /// Removes an id if it is present.
  package mutating func remove(_ id: String) {
    guard !blocks.isEmpty else { return }
    let block = block(for: id)
    let place = Self.place(of: id, in: blocks[block])
    guard place < blocks[block].count, blocks[block][place] == id else { return }
    blocks[block].remove(at: place)
    if blocks[block].isEmpty { blocks.remove(at: block) }
  }

  /// Returns the ids after an id, at most `limit`; `nil` begins with the first id.
  package func ids(after id: String?, limit: Int) -> [String] {
    guard !blocks.isEmpty, limit > 0 else { return [] }
    var block = id.map { self.block(for: $0) } ?? 0
    var place = 0
    if let id {
      place = Self.place(of: id, in: blocks[block])
      if place < blocks[block].count, blocks[block][place] == id { place += 1 }
    }
    var page: [String] = []
    while block < blocks.count, page.count < limit {
      page += blocks[block][place...].prefix(limit - page.count)
      block += 1
      place = 0
    }
    return page
  }

  /// Returns the index of the last block whose first id is at or before an id; 0 if there is none.
  private func block(for id: String) -> Int {
    var (low, high) = (0, blocks.count)
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle][0] <= id { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  /// Returns the index of the first id of a block that is at or after an id.
  private static func place(of id: String, in block: [String]) -> Int {
    var (low, high) = (0, block.count)
    while low < high {
      let middle = (low + high) / 2
      if block[middle] < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
