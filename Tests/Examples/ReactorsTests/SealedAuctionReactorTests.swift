import ReactorCore
import ReactorHost
import ReactorTesting
import Testing

@testable import Reactors

struct SealedAuctionReactorTests {
  private typealias Auction = SealedAuctionReactor
  private static let key = SessionKey(reactor: "sealed", id: "demo")

  private func viewer(_ name: String) -> Viewer { Viewer(of: Self.key, as: nil, name: name) }

  @Test func `a bidder sees the own bid until all are revealed`() async throws {
    let test = ReactorTest(Auction())
    let (low, high) = (Auction.Bid(by: "ada", amount: 4), Auction.Bid(by: "eve", amount: 7))
    await test.send(.bid(by: "ada", amount: 4)) { $0.bids = [low] }
    await test.send(.bid(by: "eve", amount: 7)) { $0.bids = [low, high] }
    let sealed = try #require(try test.view(of: viewer("ada")))
    #expect((sealed.ownBid, sealed.bidders, sealed.bids) == (4, ["ada", "eve"], []))
    #expect(try test.view(for: "eve").ownBid == 7)
    #expect(try test.view(of: viewer("joe"))?.ownBid == nil)
    await test.send(.reveal) { $0.isSealed = false }
    #expect(try test.view(of: viewer("joe"))?.bids == [high, low])
    #expect(try test.view(of: viewer("joe")) == test.view(of: viewer("ada")))
    await test.send(.begin(item: "A chair")) { $0 = .init(item: "A chair") }
    await test.finish()
  }

  @Test func `a principal bids for itself`() async {
    let test = ReactorTest(Auction())
    test.principal = Principal(id: "ada")
    await test.send(.bid(by: "eve", amount: 4))
    await test.receive(failure: Auction.Rejection.isNotYours)
    await test.finish()
  }
}
