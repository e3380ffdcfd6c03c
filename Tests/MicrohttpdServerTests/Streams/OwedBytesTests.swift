internal import Testing

@testable internal import MicrohttpdServer

@Suite struct OwedBytesTests {
  private static let pieces = ["first", "second, which is longer", "x", "", "last"]
  private static let whole = pieces.joined()

  @Test(arguments: 0...whole.utf8.count)
  func `what is written is gone, in order, wherever it ends`(written: Int) {
    var owed = OwedBytes()
    for piece in Self.pieces { owed.append(Array(piece.utf8)[...]) }
    owed.removeFirst(written)
    #expect(owed.text == String(Self.whole.dropFirst(written)))
    #expect(owed.count == Self.whole.utf8.count - written)
    owed.append(Array("!".utf8)[...])
    #expect(owed.text == Self.whole.dropFirst(written) + "!")
  }

  @Test(arguments: [[10], [10, 20_000], [16_383, 1, 1], [16_384, 5], [20_000, 10]])
  func `small pieces are written side by side, a large one where it lies`(sizes: [Int]) {
    var owed = OwedBytes()
    for (index, size) in sizes.enumerated() {
      owed.append([UInt8](repeating: UInt8(index), count: size)[...])
    }
    let next = owed.withNext { unsafe Array($0) }
    let whole = sizes.enumerated().flatMap { [UInt8](repeating: UInt8($0), count: $1) }
    #expect(next == Array(whole.prefix(max(sizes[0], OwedBytes.batch))))
  }

  @Test func `more than there is cannot be written`() {
    var owed = OwedBytes([1, 2])
    owed.removeFirst(100)
    #expect(owed.isEmpty)
    owed.removeFirst(-1)
    #expect(owed.isEmpty)
  }
}

extension OwedBytes {
  /// All of it.
  var text: String {
    var rest = self
    var bytes: [UInt8] = []
    while !rest.isEmpty {
      let next = rest.withNext { unsafe Array($0) }
      bytes += next
      rest.removeFirst(next.count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
