internal import Testing

@testable internal import MicrohttpdServer

@Suite struct OutboundBytesTests {
  private static let pieces = ["first", "second, which is longer", "x", "", "last"]
  private static let whole = pieces.joined()

  @Test(arguments: 0...whole.utf8.count)
  func `written bytes are removed in order, at any border`(written: Int) {
    var pending = OutboundBytes()
    for piece in Self.pieces { pending.append(Array(piece.utf8)) }
    pending.removeFirst(written)
    #expect(pending.text == String(Self.whole.dropFirst(written)))
    #expect(pending.count == Self.whole.utf8.count - written)
    pending.append(Array("!".utf8))
    #expect(pending.text == Self.whole.dropFirst(written) + "!")
  }

  @Test(arguments: [[10], [10, 20_000], [16_383, 1, 1], [16_384, 5], [20_000, 10]])
  func `small pieces are copied together, a large one is written in place`(sizes: [Int]) {
    var pending = OutboundBytes()
    for (index, size) in sizes.enumerated() {
      pending.append([UInt8](repeating: UInt8(index), count: size))
    }
    let next = pending.withNext { unsafe Array($0) }
    let whole = sizes.enumerated().flatMap { [UInt8](repeating: UInt8($0), count: $1) }
    #expect(next == Array(whole.prefix(max(sizes[0], OutboundBytes.batch))))
  }

  @Test func `a very large piece is written in shares`() {
    let pending = OutboundBytes(Array(repeating: 120, count: 1_000_000))
    #expect(pending.withNext { $0.count } == OutboundBytes.share)
  }

  @Test func `a part of an array is written, and removed at any border`() {
    var pending = OutboundBytes()
    pending.append(Array("0123456789".utf8), 2..<5)
    pending.append(Array("abc".utf8), 1..<1)
    pending.append(Array("abc".utf8), 1..<3)
    #expect(pending.text == "234bc")
    pending.removeFirst(4)
    #expect(pending.text == "c")
  }

  @Test func `an idle stream occupies 80 bytes in the array of connections`() {
    #expect(MemoryLayout<StreamSlot>.stride == 80)
  }

  @Test func `removing more bytes than there are leaves none`() {
    var pending = OutboundBytes([1, 2])
    pending.removeFirst(100)
    #expect(pending.isEmpty)
    pending.removeFirst(-1)
    #expect(pending.isEmpty)
  }
}

extension OutboundBytes {
  /// All bytes.
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
