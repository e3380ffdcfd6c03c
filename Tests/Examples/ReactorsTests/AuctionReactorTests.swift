import ReactorCore
import ReactorHost
import ReactorTesting
import Testing

@testable import Reactors

/// An auction by itself, with a lobby that the test plays.
struct AuctionReactorTests {
  private let sessions = TestSessions()

  private func auction(endsAt: Int64 = 60_000) -> AuctionReactor {
    let parameters = AuctionReactor.Parameters(
      item: "A lamp", endsAt: WallTime(milliseconds: endsAt))
    return AuctionReactor(sessions.context("auction", "lamp", parameters: parameters))
  }

  @Test func `an auction is listed, takes bids, closes at its time, and reports its sale`()
    async throws
  {
    try sessions.set(LobbyReactor.State(), of: "lobby", "main")
    let test = ReactorTest(auction())
    await test.send(.open) { $0.phase = .open }
    await test.receive { $0.isListed = true }
    #expect(
      sessions.sends == [.init("lobby/main", #"{"list":{"id":"lamp","item":"A lamp"}}"#)])
    await test.send(.bid(by: "Ada", amount: 10)) { $0.bids = [.init(by: "Ada", amount: 10)] }
    test.advance(by: .milliseconds(59_999))
    #expect(sessions.sends.count == 1)
    test.advance(by: .milliseconds(1))
    await test.receive { ($0.phase, $0.closedAt) = (.closed, WallTime(milliseconds: 60_000)) }
    await test.receive { $0.isReported = true }
    #expect(
      sessions.sends.last
        == .init(
          "lobby/main",
          #"{"close":{"id":"lamp","sale":{"id":"lamp","item":"A lamp","winner":"Ada","price":10}}}"#
        ))
    await test.finish()
  }

  @Test func `an auction whose lobby fails closes at its time`() async throws {
    let test = ReactorTest(auction())
    await test.send(.open) { $0.phase = .open }
    let error = SessionSendError.ended(SessionKey(reactor: "lobby", id: "main"))
    sessions.fail("lobby", "main", with: error)
    await test.receive(failure: error)
    test.advance(by: .seconds(60))
    await test.receive { ($0.phase, $0.closedAt) = (.closed, WallTime(milliseconds: 60_000)) }
    await test.receive(failure: error)
    await test.finish()
  }

  @Test func `an auction whose lobby has failed is listed when it is opened again`()
    async throws
  {
    let test = ReactorTest(auction())
    await test.send(.open) { $0.phase = .open }
    await test.send(.open)
    #expect(sessions.sends.count == 1)
    let error = SessionSendError.ended(SessionKey(reactor: "lobby", id: "main"))
    sessions.fail("lobby", "main", with: error)
    await test.receive(failure: error)
    try sessions.set(LobbyReactor.State(), of: "lobby", "main")
    await test.send(.open) { $0.isListed = true }
    #expect(sessions.sends.count == 2)
    test.advance(by: .seconds(60))
    await test.receive { ($0.phase, $0.closedAt) = (.closed, WallTime(milliseconds: 60_000)) }
    await test.receive { $0.isReported = true }
    await test.finish()
  }

  @Test func `no bid counts after the end`() async throws {
    try sessions.set(LobbyReactor.State(), of: "lobby", "main")
    let time = VirtualTimeScheduler(now: .seconds(60))
    let test = ReactorTest(auction(endsAt: 61_000), time: time)
    await test.send(.open) { $0.phase = .open }
    await test.receive { $0.isListed = true }
    test.advance(by: .seconds(1))
    await test.receive { ($0.phase, $0.closedAt) = (.closed, WallTime(milliseconds: 61_000)) }
    await test.receive { $0.isReported = true }
    await test.send(.bid(by: "Ada", amount: 1))
    await test.receive(failure: AuctionReactor.Rejection.isNotOpen)
    await test.finish()
  }
}
