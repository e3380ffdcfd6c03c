import ReactorHost
import Reactors
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ChatReactorTests {
  private let hosted = HostedCatalogue()

  @Test func `who has joined is listed once, in the order of joining, until they leave`()
    async throws
  {
    let room = try hosted.session("chat")
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
    (#"{"send":{"from":"Eve","text":"Hi"}}"#, "422 Only who has joined can send"),
    (#"{"send":{"from":"Ada","text":" \t "}}"#, "422 The text is blank"),
    (#"{"send":{"from":"Ada","text":""}}"#, "422 The text is blank"),
    (#"{"join":"  "}"#, "422 A name is needed to join"),
  ])
  func `what cannot be said is refused`(action: String, answer: String) async throws {
    let room = try hosted.session("chat")
    _ = try await room.send(#"{"join":"Ada"}"#)
    #expect(try await room.send(action) == answer)
    #expect(room.current.version == 1)
  }

  @Test func `a message carries the moment of its sending, also when it is folded again`()
    async throws
  {
    let room = try hosted.session("chat")
    let before = Timestamp.now.description
    let shown = try await room.send(#"[{"join":"Ada"},{"send":{"from":"Ada","text":"Hello!"}}]"#)
    let start = #"{"members":["Ada"],"messages":[{"from":"Ada","text":"Hello!","at":""#
    try #require(shown.hasPrefix(start))
    let at = String(shown.dropFirst(start.count).prefix { $0 != "\"" })
    #expect(before <= at && at <= Timestamp.now.description)
    #expect(try room.replay(after: 1).next(limit: 9).map(\.json) == [room.current.json])
  }

  @Test func `the state keeps the last hundred messages`() async throws {
    let room = try hosted.session("chat")
    let messages = (1...101).map { #"{"send":{"from":"Ada","text":"\#($0)"}}"# }
    let shown = try await room.send(
      "[" + ([#"{"join":"Ada"}"#] + messages).joined(separator: ",") + "]")
    #expect(!shown.contains(#""text":"1","#))
    #expect(shown.contains(#""text":"2","#) && shown.contains(#""text":"101","#))
    #expect(room.current.version == 102)
  }
}
