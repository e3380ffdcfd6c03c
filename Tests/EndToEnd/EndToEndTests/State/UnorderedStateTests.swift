import Foundation
import Testing

/// A State with sets has the same bytes live, folded, after each restart and in each process: the hash
/// seeds of two processes differ.
@Suite(.blocking)
struct UnorderedStateTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func start() throws -> ReactordProcess {
    try ReactordProcess("--store", "sqlite:" + folder["log.db"], program: "faulty")
  }

  /// Returns a random action of the reactor `shelf`.
  static func action(_ number: Int) -> String {
    let text = "a tag of about fifty characters, with the number \(number % 17)"
    switch Int.random(in: 0..<5) {
    case 0: return #"{"tag":["\#(text)","x\#(number)","y\#(number % 5)"]}"#
    case 1: return #"{"untag":"\#(text)"}"#
    case 2: return #"{"remove":{"title":"b\#(number % 7)","year":null}}"#
    default:
      return """
        {"put":{"_0":{"title":"b\(number % 7)","year":null},"_1":"\(["novel", "poetry", "science"][number % 3])"}}
        """
    }
  }

  /// Checks each representation of each version against the States that the responses had.
  private func check(_ states: [String], at cursor: Cursor, of session: SessionClient) throws {
    let documents = try states.map { try JSON(parsing: $0) }
    let last = try #require(documents.last)
    for (version, state) in states.enumerated() {
      #expect(try session.state("?version=\(version)").text == state)
      let stream = try session.events(
        "?delta=patch", ["Last-Event-ID": cursor.at(version).description])
      guard version < states.count - 1 else { continue }
      let event = try #require(try stream.nextEvent())
      #expect(event.event == "patch")
      #expect(try documents[version].patched(by: event.json) == last)
    }
    let replay = try session.events(
      "?delta=patch&replay=all", ["Last-Event-ID": cursor.at(0).description])
    var document = documents[0]
    for (event, expected) in zip(try replay.events(upTo: cursor.version), documents.dropFirst()) {
      document = try document.patched(by: event.json)
      #expect(document == expected)
    }
    #expect(try session.state().text == states.last)
  }

  @Test func `live bytes, folded bytes and patches agree over restarts`() throws {
    var server = try start()
    let path = server.session(of: "shelf").path
    var session = SessionClient(server.client(), path)
    var states = [try session.state().text]
    var cursor: Cursor?
    for life in 0..<4 {
      for number in 0..<12 {
        let response = try session.post(Self.action(life * 12 + number))
        let now = try #require(response.cursor)
        if now.version == states.count { states.append(response.text) }
        cursor = now
      }
      try check(states, at: try #require(cursor), of: session)
      try server.stop()
      server = try start()
      session = SessionClient(server.client(), path)
      try check(states, at: try #require(cursor), of: session)
    }
    let fork = try session.client.send(
      "POST", session.siblings,
      json: #"{"from":{"session":"\#(session.id)","version":\#(states.count - 3)}}"#)
    #expect(fork.text == states[states.count - 3])
    try server.stop()
    let verification = try ReactordProcess.launch(
      ["log", "verify", "--store", "sqlite:" + folder["log.db"]], program: "faulty")
    #expect(try verification.wait() == .code(0))
  }

  @Test func `a client from before an upgrade gets the whole State once, and then patches`() throws
  {
    var server = try start()
    let path = server.session(of: "shelf").path
    var session = SessionClient(server.client(), path)
    try session.post(#"{"tag":["a","b","c"]}"#)
    let former = try #require(try session.post(#"{"untag":"a"}"#).cursor)
    try server.stop()
    // The release before did not record the types.
    let shell = try ChildProcess(
      "/usr/bin/sqlite3", [folder["log.db"], "UPDATE sessions SET types = NULL, former = -1"])
    #expect(try shell.wait() == .code(0))
    for _ in 0..<2 {
      server = try start()
      session = SessionClient(server.client(), path)
      for version in [former.version - 1, former.version] {
        let stream = try session.events(
          "?delta=patch", ["Last-Event-ID": former.at(version).description])
        #expect(try stream.nextEvent()?.event == "reset")
        let state = try #require(try stream.nextEvent())
        #expect(state.event == "state")
        #expect(state.data == (try session.state().text))
      }
      let whole = try session.state()
      let next = try #require(try session.post(#"{"untag":"\#(server.port)"}"#).cursor)
      let later = try session.post(#"{"tag":["\#(server.port)"]}"#)
      let stream = try session.events("?delta=patch", ["Last-Event-ID": next.description])
      let patch = try #require(try stream.nextEvent())
      #expect(patch.event == "patch")
      #expect(try whole.json.patched(by: patch.json) == later.json)
      try server.stop()
    }
  }
}
