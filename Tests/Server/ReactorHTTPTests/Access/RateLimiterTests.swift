import ReactorTransport
import Testing

@testable import ReactorHTTP

struct RateLimiterTests {
  private let second: Int64 = 1_000_000_000

  private func address(_ number: Int) -> ClientAddress {
    ClientAddress(version4: UInt32(number))
  }

  @Test func `one second's quota is allowed at once, then requests at the rate`() {
    let limiter = RateLimiter(limit: 4)
    let client = address(1)
    #expect(
      (0..<6).map { _ in limiter.admit(client, at: 0).isAllowed } == [
        true, true, true, true, false, false,
      ])
    #expect(!limiter.admit(client, at: second / 4 - 1).isAllowed)
    #expect(limiter.admit(client, at: second / 4).isAllowed)
    #expect(!limiter.admit(client, at: second / 4).isAllowed)
    #expect((0..<4).allSatisfy { _ in limiter.admit(client, at: second * 9).isAllowed })
  }

  @Test func `clients have separate quotas`() {
    let limiter = RateLimiter(limit: 1)
    #expect(limiter.admit(address(1), at: 0).isAllowed)
    #expect(limiter.admit(address(2), at: 0).isAllowed)
    #expect(!limiter.admit(address(1), at: 0).isAllowed)
  }

  @Test func `the verdict has the remaining requests and the wait time`() {
    let limiter = RateLimiter(limit: 2)
    let first = limiter.admit(address(1), at: 0)
    #expect(first.remaining == 1)
    let headers = first.headers(limit: 2)
    #expect(headers.map(\.value) == [#""address";q=2;w=1"#, #""address";r=1;t=1"#])
    _ = limiter.admit(address(1), at: 0)
    let rejected = limiter.admit(address(1), at: 0)
    #expect(rejected.remaining == 0)
    #expect(rejected.wait == .milliseconds(500))
  }

  @Test func `the table does not grow beyond its bound`() {
    let limiter = RateLimiter(limit: 1, clients: 64)
    for number in 0..<10_000 {
      #expect(limiter.admit(address(number), at: 0).isAllowed)
    }
    #expect(limiter.clientCount <= 64)
    // Idle clients are removed first.
    for number in 0..<64 { _ = limiter.admit(address(number), at: second * 5) }
    #expect(limiter.clientCount <= 64)
  }
}
