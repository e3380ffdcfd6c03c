import Crypto
import Testing

struct SealedBytesTests {
  private let secret = Array("a secret of some length".utf8)

  @Test(arguments: [0, 1, 15, 16, 17, 1_000])
  func `bytes are read with their secret and purpose only`(count: Int) throws {
    let bytes = RandomBytes.make(count)
    let sealed = try #require(SealedBytes.seal(bytes, with: secret, for: "a"))
    #expect(sealed.count == count + 28)
    #expect(SealedBytes.open(sealed, with: secret, for: "a") == bytes)
    #expect(SealedBytes.open(sealed, with: secret, for: "b") == nil)
    #expect(SealedBytes.open(sealed, with: secret + [1], for: "a") == nil)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(SealedBytes.open(changed, with: secret, for: "a") == nil)
    }
    for length in 0..<min(sealed.count, 40) {
      #expect(SealedBytes.open(Array(sealed[..<length]), with: secret, for: "a") == nil)
    }
    #expect(SealedBytes.seal(bytes, with: secret, for: "a") != sealed)
  }
}
