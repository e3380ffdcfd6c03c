import Testing

/// The views of a projected reactor over sockets; with a cluster, also at nodes that do not own the session.
@Suite(.blocking) struct SealedAuctionTests {
  private static let bids = (ada: "917364528", eve: "623985147")

  /// Reads events up to one that contains a text.
  private func read(_ stream: EventStream, upTo text: String) throws -> String {
    var received = ""
    while !received.contains(text) {
      let event = try #require(try stream.nextEvent())
      received += "\(event.event ?? ""): \(event.data ?? "")\n"
    }
    return received
  }

  @Test(arguments: ["", "&delta=patch", "&delta=merge", "&format=datastar", "&replay=all"])
  func `a bidder receives no byte of the other bid before all are revealed`(query: String) throws {
    let session = try ReactordProcess.shared.get().session(of: "sealed")
    let (mine, other) = Self.bids
    let ada = try session.events("?name=ada\(query)")
    let eve = try session.events("?name=eve\(query)")
    try session.post(#"{"bid":{"by":"ada","amount":\#(mine)}}"#)
    try session.post(#"{"bid":{"by":"eve","amount":\#(other)}}"#)
    // The reader of a name sees the same, whichever node responds.
    for _ in 0..<4 {
      let (own, view) = (try session.state("?name=ada").text, try session.state("?name=joe").text)
      #expect(own.contains(mine) && !own.contains(other))
      #expect(!view.contains(mine) && !view.contains(other))
    }
    let seen = (try read(ada, upTo: mine), try read(eve, upTo: other))
    #expect(!seen.0.contains(other))
    #expect(!seen.1.contains(mine))
    try session.post(#""reveal""#)
    #expect(try read(ada, upTo: other).contains(other))
    #expect(try read(eve, upTo: mine).contains(mine))
  }
}
