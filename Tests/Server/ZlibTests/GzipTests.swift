import Commands
import Testing
import Zlib

struct GzipTests {
  /// The output of gzip for a file.
  private func unpacked(_ file: [UInt8]) throws -> [UInt8] {
    let gzip = try Command(["gzip", "--decompress", "--stdout"], input: file)
    #expect(gzip.status == 0)
    return gzip.output
  }

  @Test(arguments: [0, 1, 1000, 50_000])
  func `gzip reads what was written`(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let compressed = try #require(Gzip.compress(bytes))
    #expect(compressed.starts(with: [0x1F, 0x8B, 8]))
    #expect(try unpacked(compressed) == bytes)
  }

  @Test func `incompressible bytes are unpacked as well`() throws {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<20_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    #expect(try unpacked(try #require(Gzip.compress(bytes))) == bytes)
  }

  @Test func `text gets much smaller`() throws {
    let text = Array(String(repeating: #"{"name":"value"},"#, count: 1000).utf8)
    #expect(try #require(Gzip.compress(text)).count * 20 < text.count)
  }
}
