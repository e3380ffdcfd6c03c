internal import ReactorTransport
internal import Shares
internal import Testing

@testable internal import MicrohttpdServer

@Suite struct AdmissionTests {
  private static let (one, other) = (ClientAddress(version4: 1), ClientAddress(version4: 2))

  private func admission(_ limits: MicrohttpdServer.Settings.Limits) -> Admission {
    Admission(settings: .init(limits: limits))
  }

  @Test func `one address gets half of the connections, and others get theirs`() throws {
    let admission = admission(.init(connections: 20))
    let places = (0..<25).map { _ in admission.place(Self.one) }
    #expect(places.count { $0 != nil } == 10)
    let others = (2...6).map { admission.place(ClientAddress(version4: $0)) }
    #expect(others.allSatisfy { $0?.isCounted == true })
    #expect(throws: HTTPRejection.tooManyConnections(limit: 20)) {
      try admission.admit(Self.one, isReserved: false) { _ in false }.get()
    }
  }

  @Test func `a client with its share gets the place of its own idle connection`() {
    let admission = admission(.init(connections: 4))
    for _ in 0..<2 { #expect(admission.place(Self.one) != nil) }
    #expect(admission.place(Self.one) == nil)
    var asked: Account?
    let place = admission.place(Self.one) { account in
      asked = account
      return true
    }
    #expect(place?.isCounted == true)
    #expect(place?.account == asked)
  }

  @Test func `an IPv6 network is one client`() throws {
    let admission = admission(.init(connectionsPerAddress: 1))
    let first = try #require(ClientAddress("2001:db8:0:1::1"))
    let second = try #require(ClientAddress("2001:db8:0:1:ffff::2"))
    let elsewhere = try #require(ClientAddress("2001:db8:0:2::1"))
    let place = admission.place(first)
    #expect(place?.permit != nil)
    #expect(admission.place(second) == nil)
    #expect(admission.place(elsewhere) != nil)
    withExtendedLifetime(place) {}
  }

  @Test func `a permit is returned when its last reference is released`() {
    let admission = admission(.init(connectionsPerAddress: 1))
    var place = admission.place(Self.one)
    var copy = place
    place = nil
    #expect(admission.place(Self.one) == nil)
    withExtendedLifetime(copy) {}
    copy = nil
    #expect(admission.place(Self.one) != nil)
  }

  @Test func `connections of proxies and Unix-domain sockets are not counted`() {
    let admission = admission(
      .init(connections: 2, connectionsPerAddress: 1, isExempt: { $0 == nil || $0 == Self.one }))
    for address in [nil, Self.one, nil, Self.one] {
      let place = admission.place(address)
      #expect(place != nil)
      #expect(place?.account == nil)
    }
    #expect(admission.place(Self.other)?.account != nil)
  }

  @Test func `a reserved connection needs no share`() {
    let admission = admission(.init(connections: 2))
    _ = admission.place(Self.one)
    #expect(admission.place(Self.one) == nil)
    #expect(admission.place(Self.one, isReserved: true) != nil)
  }
}

extension Admission {
  /// Returns what an accepted connection holds, or `nil` for a rejected one.
  fileprivate func place(
    _ address: ClientAddress?, isReserved: Bool = false,
    orAfter makeRoom: (Account) -> Bool = { _ in false }
  ) -> Place? {
    try? admit(address, isReserved: isReserved, orAfter: makeRoom).get()
  }
}
