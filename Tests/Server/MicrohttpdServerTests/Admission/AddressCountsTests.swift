internal import ReactorTransport
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct AddressCountsTests {
  @Test func `each client may have as many connections as the limit`() {
    var counts = AddressCounts()
    let (one, other) = (ClientAddress(version4: 1), ClientAddress(version4: 2))
    let verdicts = [one, one, one, other].map { counts.enter($0, limit: 2) }
    #expect(verdicts == [true, true, false, true])
    counts.leave(one)
    let another = counts.enter(one, limit: 2)
    #expect(another)
  }

  @Test func `a client without connections is not stored`() {
    var counts = AddressCounts()
    let client = ClientAddress(version4: 1)
    for _ in 1...3 { _ = counts.enter(client, limit: 3) }
    for _ in 1...3 { counts.leave(client) }
    #expect(counts.clients == 0)
    counts.leave(client)
    #expect(counts.clients == 0)
  }

  @Test(arguments: [
    (0, 25, 50), (10, 25, 10), (70, 25, 50), (0, 100, 0), (70, 100, 70), (0, 1, 2), (0, 0, 1),
  ])
  func `the limit per client is the smaller one of a number and a share`(
    number: Int, share: Int, expected: Int
  ) {
    let limits = MicrohttpdServer.Settings.Limits(
      connections: 50, streams: 150, connectionsPerAddress: number, addressShare: share)
    #expect(Admission(limits: limits).limit == expected)
  }

  @Test(arguments: [(0, 3), (2, 2)])
  func `the share does not apply to the machine's own addresses`(number: Int, admitted: Int) throws
  {
    let admission = Admission(
      limits: .init(
        connections: 4, streams: 0, connectionsPerAddress: number, addressShare: 25))
    let local = try #require(ClientAddress("127.0.0.1"))
    let verdicts = (1...3).map { _ in admission.admit(local) }
    #expect(verdicts.count { !$0.isRejected } == admitted)
    let other = (1...2).map { _ in admission.admit(ClientAddress(version4: 1)) }
    #expect(other.count { !$0.isRejected } == 1)
  }

  @Test(arguments: [(60, 90, 25, 37), (16, 16, 25, 8), (1, 0, 25, 1), (50, 49, 99, 98)])
  func `the share is one of all connections, also where these are few`(
    connections: Int, streams: Int, share: Int, expected: Int
  ) {
    let limits = MicrohttpdServer.Settings.Limits(
      connections: connections, streams: streams, addressShare: share)
    #expect(Admission(limits: limits).limit == expected)
  }

  @Test func `an IPv6 network is one client`() throws {
    let admission = Admission(limits: .init(connectionsPerAddress: 1))
    let first = try #require(ClientAddress("2001:db8:0:1::1"))
    let second = try #require(ClientAddress("2001:db8:0:1:ffff::2"))
    let elsewhere = try #require(ClientAddress("2001:db8:0:2::1"))
    let permit = admission.admit(first).permit
    #expect(permit != nil)
    #expect(admission.admit(second).isRejected)
    #expect(!admission.admit(elsewhere).isRejected)
    withExtendedLifetime(permit) {}
  }

  @Test func `a permit is returned when its last reference is released`() {
    let admission = Admission(limits: .init(connectionsPerAddress: 1))
    let client = ClientAddress(version4: 1)
    var permit = admission.admit(client).permit
    var copy = permit
    permit = nil
    #expect(admission.admit(client).isRejected)
    withExtendedLifetime(copy) {}
    copy = nil
    #expect(!admission.admit(client).isRejected)
  }

  @Test func `clients without an address and exempt clients are not counted`() {
    let proxy = ClientAddress(version4: 1)
    let admission = Admission(
      limits: .init(connectionsPerAddress: 1, isExempt: { $0 == proxy }))
    for _ in 1...3 {
      #expect(!admission.admit(proxy).isRejected)
      #expect(!admission.admit(nil).isRejected)
    }
  }
}

extension Admission.Verdict {
  fileprivate var isRejected: Bool { if case .rejected = self { true } else { false } }

  fileprivate var permit: ConnectionPermit? {
    if case .admitted(let permit) = self { permit } else { nil }
  }
}
