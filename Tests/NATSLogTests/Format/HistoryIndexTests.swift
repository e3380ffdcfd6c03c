import Testing

@testable import NATSLog

struct HistoryIndexTests {
  /// The index of each message of a history whose message `n` has sequence `10 n` and version `2 n`.
  private func history(_ count: Int) -> [HistoryIndex] {
    var indexes: [HistoryIndex] = []
    var index = HistoryIndex()
    for number in 0..<count {
      indexes.append(index)
      index.append(HistoryIndex.Position(version: 2 * number, sequence: 10 * number))
    }
    indexes.append(index)
    return indexes
  }

  /// The messages that a node leads to.
  private func expand(_ node: HistoryIndex.Node, in history: [HistoryIndex]) -> [Int] {
    let number = node.position.sequence / 10
    guard node.level > 0 else { return [number] }
    return history[number].nodes(below: node.level).flatMap { expand($0, in: history) } + [number]
  }

  @Test(arguments: [0, 1, 15, 16, 17, 255, 256, 257, 4095, 4097, 5000])
  func `a message leads to all messages before it`(_ count: Int) {
    let history = history(count)
    let found = history[count].nodes.flatMap { expand($0, in: history) }
    #expect(found == Array(0..<count))
  }

  @Test func `a message names as many positions as the sum of its hexadecimal digits`() {
    let history = history(5000)
    for number in 0...5000 {
      let digits = String(number, radix: 16).reduce(0) { $0 + ($1.hexDigitValue ?? 0) }
      #expect(history[number].nodes.count == digits)
      #expect(history[number].count == number)
    }
  }

  @Test func `only nodes with needed entries are selected`() {
    let index = history(40)[40]
    // Two blocks with versions 1 to 32 and 33 to 64, and eight messages of two versions each.
    #expect(index.nodes.count == 10)
    let nodes = index.nodes
    #expect(nodes.covering(after: 0, upTo: 1, end: 80).map(\.position.version) == [0])
    #expect(nodes.covering(after: 32, upTo: 33, end: 80).map(\.position.version) == [32])
    #expect(nodes.covering(after: 31, upTo: 65, end: 80).map(\.position.version) == [0, 32, 64])
    #expect(nodes.covering(after: 79, upTo: 80, end: 80).map(\.position.version) == [78])
    #expect(nodes.covering(after: 80, upTo: 90, end: 80).isEmpty)
  }

  @Test func `messages that are removed from the front are not named any more`() {
    let history = history(300)
    for version in 0...600 {
      var index = history[300]
      let removed = index.removeFirst(upTo: version, end: 600)
      #expect(removed + index.nodes == history[300].nodes)
      #expect(index.nodes.first?.position.version ?? 600 <= max(version, 0))
      let next = index.nodes.dropFirst().first?.position.version ?? 600
      #expect(index.nodes.isEmpty || next > version)
      // Later messages are added as before.
      var longer = index
      for number in 300..<900 {
        longer.append(HistoryIndex.Position(version: 2 * number, sequence: 10 * number))
      }
      #expect(longer.count == index.count + 600)
    }
  }

  @Test func `the number of messages of an index of all levels does not overflow`() {
    let full = [HistoryIndex.Position](
      repeating: HistoryIndex.Position(version: 0, sequence: 0), count: HistoryIndex.fanOut - 1)
    let index = HistoryIndex(Array(repeating: full, count: HistoryIndex.levelBound))
    #expect(index.count == (1 << 60) - 1)
  }

  @Test func `messages without entries are not selected`() {
    var index = HistoryIndex()
    for (version, sequence) in [(0, 1), (2, 2), (2, 3), (3, 4)] {
      index.append(HistoryIndex.Position(version: version, sequence: sequence))
    }
    let found = index.nodes.covering(after: 0, upTo: 9, end: 3)
    #expect(found.map(\.position.sequence) == [1, 3])
  }
}
