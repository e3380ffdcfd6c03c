import ReactorCoding
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import ReactorTesting
import Testing

@testable import Reactors

/// Auctions with their lobby in a host.
struct AuctionLobbyTests {
  @Test(arguments: [
    (AuctionReactor.Action.bid(by: "Ada", amount: 1), "The auction is not open"),
    (.bid(by: "", amount: 20), "A name has 1 to 100 bytes"),
    (.bid(by: "Ada", amount: 10), "The bid is not higher than the one before"),
  ])
  func `an action that does not count is rejected`(
    action: AuctionReactor.Action, title: String
  ) async throws {
    let host = Host(Catalogue().reactors)
    let session = try await open(host, "auction", "a", endsAt: "2090-01-01T00:00:00Z")
    if title != "The auction is not open" {
      _ = try await session.send(#""open""#)
      _ = try await session.send(#"{"bid":{"by":"Bob","amount":10}}"#)
    }
    let text = String(decoding: try encode(action), as: UTF8.self)
    #expect(try await session.send(text).contains(title))
  }

  @Test func `a long text enters neither the lobby nor an auction that is listed there`()
    async throws
  {
    let long = String(repeating: "x", count: LobbyReactor.State.textLimit + 1)
    let lobby = try await open(Host(Catalogue().reactors), "lobby", "main")
    for action in [
      #"{"list":{"id":"a","item":"\#(long)"}}"#, #"{"list":{"id":"\#(long)","item":"a"}}"#,
      #"{"close":{"id":"a","sale":{"id":"a","item":"\#(long)","price":1}}}"#,
    ] {
      #expect(try await lobby.send(action).contains("A text has at most 200 bytes"))
    }
    #expect(lobby.current.version == 0)
    let parameters = AuctionReactor.Parameters(item: long, endsAt: WallTime(milliseconds: 60_000))
    let test = ReactorTest(
      AuctionReactor(TestSessions().context("auction", "lamp", parameters: parameters)))
    await test.send(.open)
    await test.receive(failure: AuctionReactor.Rejection.longItem)
    await test.finish()
  }

  @Test func `texts that are longer as JSON do not fill the lobby`() throws {
    let lobby = LobbyReactor()
    let text = String(repeating: "\u{1}", count: LobbyReactor.State.textLimit - 3)
    func size() throws -> Int { try JSONCoder.encode(lobby.currentState).count }
    for number in 0..<300 {
      lobby.action.onNext(.list(id: "\(number)" + text, item: text))
    }
    let listed = lobby.currentState.open.count
    #expect((200..<300).contains(listed))
    #expect(try size() <= LobbyReactor.State.openBytes)
    for number in 0..<300 {
      let id = "\(number)" + text
      lobby.action.onNext(
        .close(id: id, sale: .init(id: id, item: text, winner: text, price: number)))
    }
    let (open, sold) = (lobby.currentState.open.count, lobby.currentState.sold)
    #expect(open == 0 && sold.count > 50)
    #expect(sold.last?.price == 299)
    #expect(try size() <= LobbyReactor.State.saleBytes + 32)
  }

  @Test func `a client cannot close an auction`() async throws {
    let session = try await open(
      Host(Catalogue().reactors), "auction", "a", endsAt: "2020-01-01T00:00:00Z")
    let failures = Recorder<String>()
    try session.submit(
      Array(#""close""#.utf8), ifAt: nil, key: nil, for: RequestContext(id: "r"), accepted: nil
    ) { outcome in
      if case .failed(_, let error, _) = outcome { failures.add("\(error)") }
    }
    #expect(failures.values == ["isNotForClients"])
    #expect(session.current.version == 0)
  }

  @Test(.timeLimit(.minutes(60)))
  func `the lobby lists open auctions, and their sales once`() async throws {
    let host = Host(Catalogue().reactors)
    #expect(host.firstMissingReference() == nil)
    let timers = Task { await host.fireTimers() }
    for index in 0..<20 {
      let session = try await open(host, "auction", "a\(index)", endsAt: "2020-01-01T00:00:00Z")
      for _ in 0..<2 { #expect(try await session.send(#""open""#).contains(#""item":"x""#)) }
    }
    let lobby = try await open(host, "lobby", "main")
    while lobby.current.version < 40 { try await Task.sleep(for: .milliseconds(2)) }
    #expect(lobby.current.version == 40)
    #expect(lobby.shown.hasPrefix(#"{"open":[],"sold":[{"id":"a"#))
    timers.cancel()
    await timers.value
  }

  private func encode(_ action: AuctionReactor.Action) throws -> [UInt8] {
    switch action {
    case .open: Array(#""open""#.utf8)
    case .close: []
    case .bid(let name, let amount):
      Array(#"{"bid":{"by":"\#(name)","amount":\#(amount)}}"#.utf8)
    }
  }

  private func open(
    _ host: Host, _ reactor: String, _ id: String, endsAt: String? = nil
  ) async throws -> any Session {
    let parameters = endsAt.map { Array(#"{"item":"x","endsAt":"\#($0)"}"#.utf8) }
    return try await #require(host.reactor(reactor))
      .session(id, for: .ensure, parameters: parameters).session
  }
}
