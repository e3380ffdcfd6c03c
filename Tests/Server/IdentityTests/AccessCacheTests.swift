import Crypto
import Testing

@testable import Identity

struct AccessCacheTests {
  private let access = Authentication(
    .anonymous, nil, Grants(rules: [], principal: nil), generation: 0)

  private func digest(_ number: Int) -> SHA256.Digest {
    withUnsafeBytes(of: number) { SHA256.Digest(of: $0.bindMemory(to: UInt8.self)) }
  }

  @Test func `100,000 tokens hold the bound of the cache, and the latest are in it`() {
    let limit = Authenticator.Configuration().cacheLimit
    var cache = AccessCache(limit: limit)
    var most = 0
    for number in 0..<100_000 {
      cache.insert(access, for: digest(number))
      most = max(most, cache.count)
    }
    #expect(most == limit)
    #expect(cache.access(for: digest(99_999), at: 0).access != nil)
    #expect(cache.access(for: digest(100_000 - limit / 2), at: 0).access != nil)
    #expect(cache.access(for: digest(0), at: 0).access == nil)
  }

  @Test func `a token in use stays in the cache, however many others come`() {
    var cache = AccessCache(limit: 100)
    cache.insert(access, for: digest(0))
    for number in 1..<1_000 {
      cache.insert(access, for: digest(number))
      if number.isMultiple(of: 25) {
        #expect(cache.access(for: digest(0), at: 0).access === access)
      }
    }
  }
}
