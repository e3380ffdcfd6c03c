import Foundation
import Synchronization
import Testing

/// Auctions and their lobby survive a kill at any moment: each is listed once, closed once, and
/// reported once, and no acknowledged bid is lost or doubled.
@Suite(.blocking) struct AuctionKillTests {
  /// The number of kills; `make test-faults` sets it to 500.
  private static let rounds =
    ProcessInfo.processInfo.environment["FAULT_ROUNDS"].flatMap { Int($0) }.map { $0 * 5 / 2 } ?? 10
  private static let auctionsPerRound = 4
  /// The number of kills during an auction.
  ///
  /// An action that is interrupted ten times is given up.
  private static let killsPerAuction = 5

  /// An auction as its clients know it.
  private struct Auction: Sendable {
    let path: String
    /// The end in the format of the State, in which texts have the same order as the times.
    let endsAt: String
    var bids: [Int] = []
  }

  @Test func `each auction is closed and reported once, at or after its time`() throws {
    let folder = try TemporaryFolder()
    var (auctions, settled): ([Auction], Int) = ([], 0)
    for round in 0..<Self.rounds {
      let server = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
      if round % Self.killsPerAuction == 0 {
        try settle(auctions[settled...], server)
        settled = auctions.count
      }
      auctions += try load(server, round)
      try server.process.wait()
    }
    let server = try ReactordProcess("--store", "sqlite:\(folder["log.db"])")
    try settle(auctions[settled...], server)
    for auction in auctions { try check(auction, SessionClient(server.client(), auction.path)) }
    let lobby = SessionClient(server.client(), "/v1/reactors/lobby/sessions/main")
    #expect(try lobby.state().json["open"]?.array?.count == 0)
    try check(lobby, auctions)
  }

  private static let wallTime = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// Waits for the end of auctions.
  private func settle(_ auctions: ArraySlice<Auction>, _ server: ReactordProcess) throws {
    for auction in auctions {
      let session = SessionClient(server.client(), auction.path)
      // The `open` request before the kill may have failed. If it was accepted, this one has no
      // effect.
      _ = try session.post(#""open""#, ["Prefer": "respond-async"])
    }
    for auction in auctions {
      let session = SessionClient(server.client(), auction.path)
      try #require(eventually { try session.state().json["isReported"] == .bool(true) })
    }
  }

  /// Creates auctions and bids until the service is killed.
  private func load(_ server: ReactordProcess, _ round: Int) throws -> [Auction] {
    let left = Atomic(Int.random(in: 1...60))
    let port = server.port
    let auctions = try concurrently(Self.auctionsPerRound) { index -> Auction? in
      let path = "/v1/reactors/auction/sessions/\(round)-\(index)"
      let session = SessionClient(HTTPClient(port: port), path)
      let end = Date(timeIntervalSinceNow: .random(in: 0...0.3))
      var auction = Auction(path: path, endsAt: end.formatted(Self.wallTime))
      func acknowledged() {
        if left.subtract(1, ordering: .relaxed).newValue == 0 { server.process.kill() }
      }
      let parameters = #"{"parameters":{"item":"x","endsAt":"\#(auction.endsAt)"}}"#
      guard
        let created = try? session.client.send(
          "PUT", path, json: parameters), created.status == 201
      else { return nil }
      acknowledged()
      guard (try? session.post(#""open""#, ["Prefer": "respond-async"])) != nil else {
        return auction
      }
      acknowledged()
      var amount = 1
      while let response = try? session.post(#"{"bid":{"by":"Ada","amount":\#(amount)}}"#) {
        // An auction rejects bids after its end. Continue until the kill, and count only accepted
        // bids.
        if response.status == 200 { auction.bids.append(amount) }
        amount += 1
        acknowledged()
      }
      return auction
    }
    return auctions.compactMap { $0 }
  }

  private func check(_ auction: Auction, _ session: SessionClient) throws {
    var closings: [String] = []
    var bids: [Int] = []
    for entry in try session.log("?limit=1000").json.array ?? [] {
      if let time = entry["mutation"]?["closed"]?["at"]?.string { closings.append(time) }
      if let amount = entry["mutation"]?["bid"]?["amount"]?.int { bids.append(amount) }
    }
    #expect(closings.count == 1)
    #expect(closings.allSatisfy { $0 >= auction.endsAt })
    #expect(Set(bids).count == bids.count, "a bid is there twice")
    #expect(Set(bids).isSuperset(of: auction.bids), "a bid was acknowledged and lost")
  }

  private func check(_ lobby: SessionClient, _ auctions: [Auction]) throws {
    var (listed, sold): ([String: Int], [String: Int]) = ([:], [:])
    var page: String? = lobby.path + "/log?limit=1000"
    while let path = page {
      let response = try lobby.client.get(path)
      for entry in try response.json.array ?? [] {
        if let id = entry["mutation"]?["add"]?["id"]?.string { listed[id, default: 0] += 1 }
        if let id = entry["mutation"]?["sell"]?["id"]?.string { sold[id, default: 0] += 1 }
      }
      page = response.nextPage
    }
    let ids = Set(auctions.map { String($0.path.split(separator: "/").last ?? "") })
    #expect(Set(listed.keys).isSuperset(of: ids) && Set(sold.keys).isSuperset(of: ids))
    #expect(listed.values.allSatisfy { $0 == 1 } && sold.values.allSatisfy { $0 == 1 })
  }
}
