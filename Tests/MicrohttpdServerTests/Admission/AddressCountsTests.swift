internal import ReactorHTTP
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct AddressCountsTests {
  @Test func `each client has as many as the limit`() {
    var counts = AddressCounts()
    let (one, other) = (ClientAddress(version4: 1), ClientAddress(version4: 2))
    let verdicts = [one, one, one, other].map { counts.enter($0, limit: 2) }
    #expect(verdicts == [true, true, false, true])
    counts.leave(one)
    let another = counts.enter(one, limit: 2)
    #expect(another)
  }

  @Test func `who has left is forgotten`() {
    var counts = AddressCounts()
    let client = ClientAddress(version4: 1)
    for _ in 1...3 { _ = counts.enter(client, limit: 3) }
    for _ in 1...3 { counts.leave(client) }
    #expect(counts.clients == 0)
    counts.leave(client)
    #expect(counts.clients == 0)
  }

  @Test func `a network of IPv6 is one client`() throws {
    let admission = Admission(limits: .init(connectionsPerAddress: 1))
    let first = try #require(ClientAddress("2001:db8:0:1::1"))
    let second = try #require(ClientAddress("2001:db8:0:1:ffff::2"))
    let elsewhere = try #require(ClientAddress("2001:db8:0:2::1"))
    let permit = admission.admit(first).permit
    #expect(permit != nil)
    #expect(admission.admit(second).isRefused)
    #expect(!admission.admit(elsewhere).isRefused)
    withExtendedLifetime(permit) {}
  }

  @Test func `a permit is given back with its last holder`() {
    let admission = Admission(limits: .init(connectionsPerAddress: 1))
    let client = ClientAddress(version4: 1)
    var permit = admission.admit(client).permit
    var copy = permit
    permit = nil
    #expect(admission.admit(client).isRefused)
    withExtendedLifetime(copy) {}
    copy = nil
    #expect(!admission.admit(client).isRefused)
  }

  @Test func `who has no address or is exempt is not counted`() {
    let proxy = ClientAddress(version4: 1)
    let admission = Admission(
      limits: .init(connectionsPerAddress: 1, isExempt: { $0 == proxy }))
    for _ in 1...3 {
      #expect(!admission.admit(proxy).isRefused)
      #expect(!admission.admit(nil).isRefused)
    }
  }
}

extension Admission.Verdict {
  fileprivate var isRefused: Bool { if case .refused = self { true } else { false } }

  fileprivate var permit: ConnectionPermit? {
    if case .welcome(let permit) = self { permit } else { nil }
  }
}
