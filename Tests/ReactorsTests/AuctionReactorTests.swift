import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import ReactorTesting
import Testing

@testable import Reactors

/// An auction by itself, and auctions with their lobby in a host.
struct AuctionReactorTests {
  private let time = VirtualTimeScheduler()
  private let sessions = TestSessions()

  private func auction(endsAt: Int64 = 60_000) -> AuctionReactor {
    let time = time
    let context = sessions.context(
      "auction", "lamp", parameters: AuctionReactor.Parameters(item: "A lamp", endsAt: endsAt))
    return AuctionReactor(context, scheduler: time) { Int64(time.now / .milliseconds(1)) }
  }

  @Test func `an auction is listed, takes bids, closes at its time, and reports its sale`()
    async throws
  {
    try sessions.set(LobbyReactor.State(), of: "lobby", "main")
    let test = ReactorTest(auction(), time: time)
    await test.send(.open) { $0.phase = .open }
    #expect(
      sessions.sends == [.init("lobby/main", #"{"list":{"id":"lamp","item":"A lamp"}}"#)])
    await test.send(.bid(by: "Ada", amount: 10)) { $0.bids = [.init(by: "Ada", amount: 10)] }
    test.advance(by: .milliseconds(59_999))
    #expect(sessions.sends.count == 1)
    test.advance(by: .milliseconds(1))
    await test.receive { ($0.phase, $0.closedAt) = (.closed, 60_000) }
    await test.receive { $0.isReported = true }
    #expect(
      sessions.sends.last
        == .init(
          "lobby/main",
          #"{"close":{"id":"lamp","sale":{"id":"lamp","item":"A lamp","winner":"Ada","price":10}}}"#
        ))
    await test.finish()
  }

  @Test func `an auction waits for the lobby, and fails with it`() async throws {
    let test = ReactorTest(auction(endsAt: 0), time: time)
    await test.send(.open) { $0.phase = .open }
    let key = SessionKey(reactor: "lobby", id: "main")
    sessions.fail("lobby", "main", with: SessionSendError.ended(key))
    await test.receive(failure: SessionSendError.ended(key))
    await test.finish()
  }

  @Test(arguments: [
    (AuctionReactor.Action.bid(by: "Ada", amount: 1), "The auction is not open"),
    (.bid(by: "", amount: 20), "A name has 1 to 100 bytes"),
    (.bid(by: "Ada", amount: 10), "The bid is not higher than the one before"),
  ])
  func `a bid that does not count is rejected`(
    action: AuctionReactor.Action, title: String
  ) async throws {
    let host = Host(Catalogue().reactors)
    let session = try open(host, "auction", "a", endsAt: .max)
    if title != "The auction is not open" {
      try session.submit(
        Array(#""open""#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil
      ) { _ in }
      _ = try await session.send(#"{"bid":{"by":"Bob","amount":10}}"#)
    }
    let text = String(decoding: try encode(action), as: UTF8.self)
    #expect(try await session.send(text).contains(title))
  }

  @Test func `the lobby lists open auctions, and their sales once`() async throws {
    let host = Host(Catalogue().reactors)
    #expect(host.firstMissingReference() == nil)
    for index in 0..<20 {
      let session = try open(host, "auction", "a\(index)", endsAt: 0)
      #expect(try await session.send(#""open""#).contains(#""phase":"closed""#))
      #expect(try await session.send(#""open""#).contains(#""phase":"closed""#))
    }
    let lobby = try open(host, "lobby", "main")
    #expect(lobby.current.version == 40)
    #expect(lobby.shown.hasPrefix(#"{"open":[],"sold":[{"id":"a0","item":"x","winner":null"#))
  }

  private func encode(_ action: AuctionReactor.Action) throws -> [UInt8] {
    switch action {
    case .open: Array(#""open""#.utf8)
    case .bid(let name, let amount):
      Array(#"{"bid":{"by":"\#(name)","amount":\#(amount)}}"#.utf8)
    }
  }

  private func open(
    _ host: Host, _ reactor: String, _ id: String, endsAt: Int64? = nil
  ) throws -> any Session {
    let results = Recorder<Result<OpenedSession, SessionError>>()
    let parameters = endsAt.map { Array(#"{"item":"x","endsAt":\#($0)}"#.utf8) }
    try #require(host.reactor(reactor)).session(id, for: .ensure, parameters: parameters) {
      results.add($0)
    }
    return try #require(results.values.first).get().session
  }
}
