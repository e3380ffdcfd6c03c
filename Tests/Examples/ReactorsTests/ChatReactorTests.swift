import LogTestSupport
import ReactorHost
import ReactorLog
import Reactors
import Testing

@Suite(.timeLimit(.minutes(60)))
struct ChatReactorTests {
  private let hosted = HostedCatalogue()

  private static func text(_ count: Int) -> String { String(repeating: "a", count: count) }

  @Test func `names and texts of the maximum length are accepted, and 500 members`() async throws {
    let room = try await hosted.session("chat")
    let (name, text) = (Self.text(100), Self.text(8_000))
    _ = try await room.send(
      #"[{"join":"\#(name)"},{"send":{"from":"\#(name)","text":"\#(text)"}}]"#)
    let others = (2...500).map { #"{"join":"\#($0)"}"# }
    _ = try await room.send("[" + others.joined(separator: ",") + "]")
    #expect(room.current.version == 501)
    #expect(try await room.send(#"{"join":"501"}"#) == "422 The room is full")
    _ = try await room.send(#"[{"leave":"2"},{"join":"501"}]"#)
    #expect(room.current.version == 503)
  }

  @Test func `a member is listed once, in the order of joining, until it leaves`()
    async throws
  {
    let room = try await hosted.session("chat")
    #expect(try await room.send(#"{"join":"Ada"}"#) == #"{"members":["Ada"],"messages":[]}"#)
    #expect(
      try await room.send(#"[{"join":"Bob"},{"join":"Ada"}]"#)
        == #"{"members":["Ada","Bob"],"messages":[]}"#)
    #expect(
      try await room.send(#"[{"leave":"Ada"},{"leave":"Eve"}]"#)
        == #"{"members":["Bob"],"messages":[]}"#)
    #expect(room.current.version == 3)
  }

  @Test(arguments: [
    (#"{"send":{"from":"Eve","text":"Hi"}}"#, "422 Only members can send"),
    (#"{"send":{"from":"Ada","text":" \t "}}"#, "422 The text is blank"),
    (#"{"send":{"from":"Ada","text":""}}"#, "422 The text is blank"),
    (#"{"join":"  "}"#, "422 A name is needed to join"),
    (#"{"join":"\#(text(101))"}"#, "422 The name is too long"),
    (#"{"send":{"from":"\#(text(101))","text":"Hi"}}"#, "422 Only members can send"),
    (#"{"send":{"from":"Ada","text":"\#(text(8_001))"}}"#, "422 The text is too long"),
  ])
  func `invalid actions are rejected`(action: String, response: String) async throws {
    let room = try await hosted.session("chat")
    _ = try await room.send(#"{"join":"Ada"}"#)
    #expect(try await room.send(action) == response)
    #expect(room.current.version == 1)
  }

  @Test func `a message retains its time of sending when it is folded again`()
    async throws
  {
    let room = try await hosted.session("chat")
    let before = Timestamp.now.description
    let shown = try await room.send(#"[{"join":"Ada"},{"send":{"from":"Ada","text":"Hello!"}}]"#)
    let start = #"{"members":["Ada"],"messages":[{"from":"Ada","text":"Hello!","at":""#
    try #require(shown.hasPrefix(start))
    let at = String(shown.dropFirst(start.count).prefix { $0 != "\"" })
    #expect(before <= at && at <= Timestamp.now.description)
    #expect(try await room.replay(after: 1).next(limit: 9).map(\.json) == [room.current.json])
  }

  @Test func `texts that are longer as JSON do not fill the state`() async throws {
    let room = try await hosted.session("chat")
    _ = try await room.send(#"{"join":"Ada"}"#)
    let text = String(repeating: #"\u0001"#, count: 8_000)
    for number in 1...25 {
      _ = try await room.send(#"{"send":{"from":"Ada","text":"\#(number)"}}"#)
      _ = try await room.send(
        #"{"send":{"from":"Ada","text":"\#(text.dropLast(12))\#(number + 10)"}}"#)
    }
    #expect(room.current.version == 51)
    #expect(room.shown.utf8.count < 530_000)
    #expect(!room.shown.contains(#""text":"10""#) && room.shown.contains(#""text":"25""#))
    #expect(try await room.send(#"{"leave":"Ada"}"#).hasPrefix(#"{"members":[],"messages":[{"#))
  }

  @Test func `the state retains the last hundred messages`() async throws {
    let room = try await hosted.session("chat")
    let messages = (1...101).map { #"{"send":{"from":"Ada","text":"\#($0)"}}"# }
    let shown = try await room.send(
      "[" + ([#"{"join":"Ada"}"#] + messages).joined(separator: ",") + "]")
    #expect(!shown.contains(#""text":"1","#))
    #expect(shown.contains(#""text":"2","#) && shown.contains(#""text":"101","#))
    #expect(room.current.version == 102)
  }
}
