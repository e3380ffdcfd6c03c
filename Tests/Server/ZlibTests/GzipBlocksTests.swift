import Commands
import Testing
import Zlib

struct GzipBlocksTests {
  private func unpacked(_ body: [UInt8]) throws -> [UInt8] {
    let gzip = try Command(["gzip", "--decompress", "--stdout"], input: body)
    #expect(gzip.status == 0)
    return gzip.output
  }

  private func text(_ count: Int, _ seed: Int) -> [UInt8] {
    Array((0..<count).map { "\(($0 * 7919 + seed * ($0 % 97)) % 10_007)," }.joined().utf8)
  }

  @Test(arguments: [1, 40, 2_000, 20_000])
  func `a body of blocks is a file that gzip reads`(count: Int) throws {
    let texts = (0..<4).map { text(count, $0) }
    var body = GzipBlocks.header
    var sum = GzipBlocks.Checksum()
    var plain: [UInt8] = []
    // The same text twice: the block after itself refers to what was decoded before it.
    for (index, text) in (texts + texts.reversed()).enumerated() {
      let before = index.isMultiple(of: 3) ? [] : Array(plain.suffix(GzipBlocks.window + 100))
      body += try #require(GzipBlocks.compressed(text, after: before))
      let between = Array("between".utf8)
      body += GzipBlocks.stored(between)
      plain += text + between
      sum.append(GzipBlocks.Checksum(of: text))
      sum.append(GzipBlocks.Checksum(of: between))
    }
    #expect(try unpacked(body + sum.end) == plain)
  }

  @Test func `a block after a similar text is as small as the difference`() throws {
    let before = text(1_500, 1)
    let after = before.prefix(3_000) + Array("a change".utf8) + before.dropFirst(3_000)
    let block = try #require(GzipBlocks.compressed(Array(after), after: before))
    #expect(block.count < 200)
    #expect(try #require(GzipBlocks.compressed(Array(after))).count > 10 * block.count)
  }

  @Test func `stored bytes of any number, and none`() throws {
    for count in [0, 1, 65_535, 65_536, 200_000] {
      let bytes = [UInt8](repeating: 7, count: count)
      let body = GzipBlocks.header + GzipBlocks.stored(bytes) + GzipBlocks.Checksum(of: bytes).end
      #expect(try unpacked(body) == bytes)
    }
    #expect(GzipBlocks.compressed([]) == nil)
  }
}
