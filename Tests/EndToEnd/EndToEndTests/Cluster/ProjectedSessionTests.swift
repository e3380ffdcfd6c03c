import Foundation
import Testing

/// A projected session on several nodes: no node sends a client what only others see.
@Suite(.blocking) struct ProjectedSessionTests {
  /// A client of one name, and all that it has received.
  private final class Member {
    let name: String
    var received = ""
    private var stream: EventStream?

    init(_ name: String) { self.name = name }

    func open(_ session: SessionClient, _ query: String = "") throws {
      stream = try session.events("?name=\(name)\(query)")
    }

    /// Reads the stream up to an event that contains a text.
    func read(upTo text: String) throws {
      let stream = try #require(stream)
      while true {
        guard let event = try stream.nextEvent() else {
          return #expect(text == "end", "\(name): the stream has ended before \(text)")
        }
        let line = "\(event.event ?? ""): \(event.data ?? "")"
        received += line
        if line.contains(text) { return }
      }
    }

    /// Sends a request to a session; returns the status.
    @discardableResult
    func ask(
      _ session: SessionClient, _ path: String = "/state", _ query: String = "",
      action: String? = nil
    ) throws -> Int {
      let target = "\(session.path)\(path)?name=\(name)\(query)"
      let response =
        try action.map { try session.client.send("POST", target, json: $0) }
        ?? session.client.get(target)
      received += response.text
      return response.status
    }
  }

  private static func secret() -> String { "s" + UUID().uuidString }

  @Test(arguments: ["", "&delta=patch", "&replay=all"])
  func `members at other nodes than the owner see their team only, also after its kill`(
    query: String
  ) throws {
    let cluster = try NodeCluster(program: "faulty")
    let sessions = cluster.clients(of: "board", "b")
    let (ada, eve, host) = (Member("ada"), Member("eve"), Member("host"))
    let secrets = (0..<5).map { _ in Self.secret() }
    func write(_ index: Int, _ team: String, at session: SessionClient) throws {
      let action = #"{"write":{"_0":"\#(secrets[index])","for":"\#(team)"}}"#
      #expect(try host.ask(session, "/actions", action: action) == 204)
    }
    func admit(_ name: String, _ team: String, at session: SessionClient) throws {
      let action = #"{"admit":{"_0":"\#(name)","to":"\#(team)"}}"#
      #expect(try host.ask(session, "/actions", action: action) == 204)
    }
    try admit("ada", "red", at: sessions[0])
    try admit("eve", "blue", at: sessions[0])
    let owner = try cluster.owner()
    let others = [1, 2].map { sessions[(owner + $0) % 3] }
    try ada.open(others[0], query)
    try eve.open(others[0], query)
    try write(0, "red", at: others[1])
    try write(1, "blue", at: sessions[owner])
    try ada.read(upTo: secrets[0])
    try eve.read(upTo: secrets[1])
    for session in sessions {
      #expect(try ada.ask(session) == 200)
      #expect(try eve.ask(session) == 200)
      #expect(try host.ask(session) == 403)
      for version in 0...4 { try ada.ask(session, "/state", "&version=\(version)") }
      for version in 0...4 { try eve.ask(session, "/state", "&version=\(version)") }
      // The response to an action has the view of its sender.
      let green = #"{"write":{"_0":"x","for":"green"}}"#
      #expect(try eve.ask(session, "/actions", action: green) == 200)
    }
    #expect(ada.received.contains(secrets[0]) && !ada.received.contains(secrets[1]))
    #expect(eve.received.contains(secrets[1]) && !eve.received.contains(secrets[0]))

    // Another audience, and none.
    try admit("ada", "blue", at: others[1])
    try ada.read(upTo: "reset: {}")
    try ada.read(upTo: secrets[1])
    try host.ask(others[1], "/actions", action: #"{"dismiss":"ada"}"#)
    try write(2, "blue", at: others[1])
    try ada.read(upTo: "expired")
    #expect(try ada.ask(others[1]) == 403)
    try eve.read(upTo: secrets[2])

    // A takeover.
    try admit("ada", "red", at: others[1])
    try ada.open(others[1], query)
    try ada.read(upTo: secrets[0])
    let killed = try cluster.remove(owner)
    killed.process.kill()
    try write(3, "red", at: others[1])
    try write(4, "blue", at: others[0])
    try ada.read(upTo: secrets[3])
    try eve.read(upTo: secrets[4])
    for session in others {
      #expect(try ada.ask(session) == 200)
      #expect(try eve.ask(session) == 200)
    }
    try host.ask(others[0], "/actions", action: #"{"dismiss":"eve"}"#)
    try eve.read(upTo: "expired")
    #expect(try eve.ask(others[1]) == 403)
    for secret in [2, 4] { #expect(!ada.received.contains(secrets[secret])) }
    for secret in [0, 3] { #expect(!eve.received.contains(secrets[secret])) }
    for secret in secrets { #expect(!host.received.contains(secret)) }
    try killed.process.wait()
  }
}
