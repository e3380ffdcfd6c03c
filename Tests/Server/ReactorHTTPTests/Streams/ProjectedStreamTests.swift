import Identity
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorTransport
import Synchronization
import Telemetry
import Testing

@testable import ReactorHTTP

/// Streams of a projected reactor.
struct ProjectedStreamTests {
  private func dealtTable() throws -> Table {
    let table = try Table()
    try table.seat("ada", 1)
    try table.seat("eve", 2)
    try table.deal(1, "ace")
    try table.deal(2, "ten")
    return table
  }

  private static func view(_ hand: String?, pot: Int = 0, players: Int = 2) -> String {
    let hand = hand.map { #""\#($0)""# } ?? "null"
    return #"{"pot":\#(pot),"players":\#(players),"hand":\#(hand),"odds":0.5}"#
  }

  @Test func `each player gets the own view, and no event for a commit that does not change it`()
    throws
  {
    let table = try dealtTable()
    let (ada, eve) = (try table.watch(as: "ada"), try table.watch(as: "eve"))
    #expect(ada.read() == ["retry", "4 " + Self.view("ace")])
    #expect(eve.read() == ["retry", "4 " + Self.view("ten")])
    try table.deal(1, "king")
    #expect(ada.read() == ["5 " + Self.view("king")])
    #expect(eve.next() == nil)
    // The next event has the cursor of its version.
    try table.act(#"{"bet":3}"#)
    #expect(ada.read() == ["6 " + Self.view("king", pot: 3)])
    #expect(eve.read() == ["6 " + Self.view("ten", pot: 3)])
  }

  @Test func `a commit that takes the audience away ends the stream before anything of it`() throws
  {
    let table = try dealtTable()
    let ada = try table.watch(as: "ada").skipOpening()
    try table.act(#"{"batch":[{"bet":1},{"dismiss":"ada"},{"deal":{"_0":1,"_1":"king"}}]}"#)
    #expect(ada.read() == ["expired {}"])
    #expect(ada.isFinished)
    ada.close()
    #expect(try table.ask("GET", "/t/events", as: "ada").problem == "403 forbidden")
    #expect(table.service.api.channels.views.counts == (0, 0))
    #expect(table.service.api.channels.streamCount == 0)
  }

  @Test func `a commit that changes the audience resets the stream`() throws {
    let table = try dealtTable()
    let ada = try table.watch(as: "ada").skipOpening()
    try table.seat("ada", 2)
    #expect(ada.read() == ["reset {}", "5 " + Self.view("ten")])
    try table.deal(1, "king")
    #expect(ada.next() == nil)
    try table.deal(2, "two")
    #expect(ada.read() == ["7 " + Self.view("two")])
    // There and back, before the stream is pulled: the events between are of no audience of the client.
    try table.seat("ada", 1)
    try table.seat("ada", 2)
    #expect(ada.read() == ["reset {}", "9 " + Self.view("two")])
    ada.close()
    #expect(table.service.api.channels.views.counts == (0, 0))
    #expect(table.service.api.channels.streamCount == 0)
  }

  @Test func `a stream that was reset is woken by later commits`() throws {
    let table = try dealtTable()
    let ada = try table.watch(as: "ada")
    let wakes = Wakes()
    for group in ada.groups { group.add(wakes) }
    try table.seat("ada", 2)
    #expect(ada.skipOpening().read().last == "5 " + Self.view("ten"))
    let count = wakes.count
    try table.deal(2, "two")
    #expect(wakes.count > count)
    #expect(ada.read() == ["6 " + Self.view("two")])
  }

  private final class Wakes: StreamWaking {
    private let wakes = Atomic(0)
    var count: Int { wakes.load(ordering: .acquiring) }
    func wake(_ group: StreamGroup) { wakes.add(1, ordering: .releasing) }
  }

  @Test(arguments: ["delta=patch", "delta=merge", "old=true", "format=datastar", "select=/hand"])
  func `differences and parts are those of the view`(query: String) throws {
    let table = try dealtTable()
    let ada = try table.watch(query, as: "ada")
    let opening = ada.read().joined()
    #expect(opening.contains("ace") && !opening.contains("ten"))
    try table.deal(2, "two")
    #expect(ada.next() == nil)
    try table.deal(1, "king")
    let change = ada.read().joined()
    #expect(change.contains("king") && !change.contains("ten") && !change.contains("two"))
    try table.seat("ada", 2)
    let moved = ada.read()
    #expect(moved.first == "reset {}")
    #expect(moved.last?.contains("two") == true)
    #expect(!moved.joined().contains("king"))
  }

  @Test func `a resumed stream begins with the view of its client`() throws {
    let table = try dealtTable()
    let cursor = try #require(try table.watch(as: "ada").skipOpeningID())
    // Another client of the same version: the server cannot know what it had seen.
    for query in ["", "delta=patch", "replay=all"] {
      let eve = try table.watch("last_event_id=\(cursor)&\(query)", as: "eve")
      #expect(eve.read().last?.hasSuffix(Self.view("ten")) == true, "\(query)")
    }
    try table.deal(1, "king")
    try table.act(#"{"bet":1}"#)
    let ada = try table.watch("last_event_id=\(cursor)", as: "ada")
    #expect(ada.read() == ["retry", "6 " + Self.view("king", pot: 1)])
    let wrong = try table.watch("last_event_id=x-1", as: "ada")
    #expect(wrong.read() == ["retry", "reset {}", "6 " + Self.view("king", pot: 1)])
  }

  @Test
  func `a replay shows each version as its client saw it, and leaves out what it did not see`()
    throws
  {
    let table = try dealtTable()
    try table.seat("ada", 2)
    try table.deal(2, "two")
    try table.act(#"{"dismiss":"ada"}"#)
    try table.act(#"{"bet":1}"#)
    try table.deal(1, "king")
    try table.seat("ada", 1)
    let ada = try table.watch("replay=all", as: "ada")
    #expect(
      ada.read() == [
        "retry", "1 " + Self.view(nil, players: 1), "2 " + Self.view(nil),
        "3 " + Self.view("ace"), "5 " + Self.view("ten"), "6 " + Self.view("two"),
        "10 " + Self.view("king", pot: 1),
      ])
    try table.act(#"{"bet":1}"#)
    #expect(ada.read() == ["11 " + Self.view("king", pot: 2)])
  }

  @Test func `the errors of earlier views are one line in the log`() throws {
    let lines = Recorder<String>()
    let table = try Table(logger: Logger(level: .error) { _, message, _ in lines.add(message) })
    try table.seat("ada", 13)
    for _ in 0..<5 { try table.act(#"{"bet":1}"#) }
    try table.seat("ada", 1)
    let ada = try table.watch("replay=all", as: "ada")
    #expect(ada.read() == ["retry", "7 " + Self.view(nil, pot: 5, players: 1)])
    #expect(lines.values == ["projection failed"])
  }

  @Test func `other work is done between the versions that a client does not see`() throws {
    let table = try Table()
    for _ in 0..<200 { try table.act(#"{"bet":1}"#) }
    try table.seat("ada", 1)
    let reactor = try #require(table.service.api.host.reactor("table"))
    let threads = Recorder<WorkerPool.Job>()
    let versions = Recorder<[Int]>()
    let others = Recorder<Int>()
    let background = WorkerPool(width: 1, start: { threads.add($0) })
    let session = try #require(reactor.liveSession("t"))
    let projector = try #require(reactor.projector)
    let viewer = Viewer(of: SessionKey(reactor: "table", id: "t"), as: Principal(id: "ada"))
    let history = ViewerHistory(
      base: session, projector: projector, viewer: viewer, logger: .silent)
    background.start(for: .streams) {
      let views = try? await history.replay(after: 0).next(limit: 64)
      versions.add(views?.map(\.version) ?? [])
    }
    background.enqueue(for: WorkOwner("other")) { others.add(versions.values.count) }
    let thread = try #require(threads.values.first)
    thread()
    #expect(others.values == [0])
    #expect(versions.values.first == [201])
  }

  @Test func `a stream ends if its token names another principal from now on`() throws {
    func tokens(_ name: String) -> Authenticator.Configuration {
      .tokens("token-of-the-dealer-01 admin as=host\ntoken-of-a-player-001 act as=\(name)")
    }
    let table = try Table(with: tokens("ada"))
    let dealer: [(name: HTTPHeader, value: String)] = [
      (.authorization, "Bearer token-of-the-dealer-01")
    ]
    let player: [(name: HTTPHeader, value: String)] = [
      (.authorization, "Bearer token-of-a-player-001")
    ]
    let seats = #"{"batch":[{"seat":{"_0":"ada","_1":1}},{"seat":{"_0":"eve","_1":2}}]}"#
    let seated = try table.service.ask("POST", Table.root + "/t/actions", dealer, body: seats)
    #expect(seated.status == 204)
    let stream = try table.service.open(Table.root + "/t/events", player)
    #expect(stream.read().last == "2 " + Self.view(nil))
    table.service.api.replaceAuthentication(tokens("ada"))
    #expect(stream.next() == nil)
    table.service.api.replaceAuthentication(tokens("eve"))
    #expect(stream.read() == ["expired {}"])
    #expect(stream.isFinished)
  }

  @Test func `a stream continues with another token of its principal, unless other claims differ`()
    throws
  {
    let rules = #"[{"allow":"act","to":"table/*"}]"#
    let table = try Table(with: SignedToken.configuration(rules: rules))
    try table.seat("ada", 1)
    func bearer(_ claims: String, until expiry: Int64) -> [(name: HTTPHeader, value: String)] {
      let token = SignedToken.make(#"{"sub":"ada",\#(claims)}"#, expiry: expiry)
      return [(.authorization, "Bearer \(token)")]
    }
    let first = bearer(#""jti":"a","iat":1,"nbf":1,"auth_time":1,"role":"x""#, until: 4_102_444_800)
    let next = bearer(#""jti":"b","iat":2,"nbf":2,"auth_time":2,"role":"x""#, until: 4_102_444_900)
    let other = bearer(#""role":"y""#, until: 4_102_444_800)
    let response = try table.service.ask("GET", Table.root + "/t/events", first)
    let path = "/v1/streams/\(try #require(response[field: "Stream-Id"]))/credential"
    let stream = try table.service.reader(of: response)
    _ = stream.read()
    #expect(try table.service.ask("POST", path, next).status == 204)
    #expect(try table.service.ask("POST", path, other).problem == "403 forbidden")
    table.service.api.replaceAuthentication(
      try SignedToken.configuration(rules: rules, leeway: 31))
    try table.act(#"{"bet":1}"#, as: "ada")
    #expect(stream.read() == ["2 " + Self.view(nil, pot: 1, players: 1)])
    stream.close()
  }

  @Test func `a stream of several sessions ends if one of them may not be seen any more`() throws {
    let table = try dealtTable()
    let query = "/v1/events?session=table/t&session=number/n"
    let ada = try table.service.reader(of: try table.ask("GET", query, as: "ada"))
    let opening = ada.read().joined()
    #expect(opening.contains("ace") && opening.contains(#"{"value":0"#))
    try table.seat("ada", 2)
    let moved = ada.read().joined()
    #expect(moved.contains("reset") && moved.contains("ten") && !moved.contains("ace"))
    try table.act(#"{"dismiss":"ada"}"#)
    #expect(ada.read() == [#"expired {"session":"table/t","data":{}}"#])
    #expect(ada.isFinished)
    #expect(try table.ask("GET", query, as: "ada").problem == "403 forbidden")
  }

  @Test func `the streams of an audience share its view, and those of a client its entry`() throws {
    let table = try dealtTable()
    try table.seat("joe", 1)
    let readers = try ["ada", "joe", "ada", "eve"].map { try table.watch(as: $0) }
    #expect(table.service.api.channels.views.counts == (1, 4))
    #expect(table.service.api.channels.streamCount == 4)
    try table.deal(1, "king")
    #expect(readers.map { $0.skipOpening().read().count } == [1, 1, 1, 0])
    for reader in readers { reader.close() }
    #expect(table.service.api.channels.views.counts == (0, 0))
  }

  @Test func `one audience more than the bound is rejected`() throws {
    let table = try Table()
    for seat in 1...257 { try table.seat("user\(seat)", seat + 100) }
    let readers = try (1...256).map { try table.watch(as: "user\($0)") }
    let rejected = try table.ask("GET", "/t/events", as: "user257")
    #expect(rejected.problem == "503 unavailable")
    #expect(rejected.text.contains("256 audiences"))
    #expect(try table.state(as: "user257").status == 200)
    // A client whose audience becomes one too many opens another stream, and gets the same.
    try table.seat("user257", 101)
    let last = try table.watch(as: "user257").skipOpening()
    try table.seat("user257", 1000)
    #expect(last.next() == nil)
    #expect(last.isFinished)
    last.close()
    readers[5].close()
    #expect(try table.watch(as: "user257").read().count == 2)
  }

  @Test func `a view that fails ends the streams of its audience only`() throws {
    let table = try dealtTable()
    let (ada, eve) = (try table.watch(as: "ada"), try table.watch(as: "eve"))
    _ = (ada.skipOpening(), eve.skipOpening())
    try table.seat("ada", 13)
    #expect(ada.next() == nil)
    #expect(ada.isFinished)
    #expect(eve.next() == nil)
    #expect(!eve.isFinished)
    try table.act(#"{"bet":1}"#)
    #expect(eve.read() == ["6 " + Self.view("ten", pot: 1)])
  }

  @Test func `the end of a session ends its streams`() throws {
    let table = try dealtTable()
    let ada = try table.watch(as: "ada").skipOpening()
    #expect(try table.ask("DELETE", "/t", as: "host").status == 204)
    #expect(ada.read() == ["end {}"])
    #expect(ada.isFinished)
  }

  @Test func `changes are those that the client sees, without the principals of others`() throws {
    let table = try dealtTable()
    try table.act(#"{"bet":2}"#, as: "ada")
    func changes(_ query: String, as user: String) throws -> String {
      try table.ask("GET", "/v1/changes?reactor=table&\(query)", as: user).text
    }
    let seen = try changes("with=state", as: "eve")
    #expect(seen.contains("ten") && !seen.contains("ace"))
    #expect(!seen.contains(#""to":3"#) && seen.contains(#""to":4"#))
    #expect(!seen.contains(#""by""#))
    #expect(try changes("", as: "ada").contains(#""by":"ada""#))
    #expect(!(try changes("with=entries", as: "ada").contains("entries")))
    #expect(try changes("with=entries", as: "inspector").contains("ace"))
    #expect(try changes("", as: "bob") == "[]")
    try table.act(#"{"dismiss":"ada"}"#)
    #expect(try changes("with=state", as: "ada") == "[]")
    let stream = try table.service.reader(
      of: try table.ask("GET", "/v1/changes/events?after=0&with=state", as: "eve"))
    // The first pull begins to read the store.
    let sent = (stream.read() + stream.read()).joined()
    #expect(sent.contains("ten") && !sent.contains("ace") && !sent.contains(#""by""#))
  }
}

extension Reader {
  /// The id of the opening.
  fileprivate func skipOpeningID() -> String? {
    _ = next()
    return lastID
  }
}
