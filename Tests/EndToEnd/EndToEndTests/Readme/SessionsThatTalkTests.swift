import Foundation
import Testing

/// The tutorial "Sessions that talk to each other" is compiled, and its commands are executed.
@Suite(.blocking)
struct SessionsThatTalkTests {
  private let guide: Guide

  init() throws {
    guide = try Guide("Sources/Server/ReactorHost/Documentation.docc/SessionsThatTalk.md")
  }

  @Test(arguments: ["DirectoryReactor.swift", "RoomReactor.swift", "main.swift"])
  func `the tutorial quotes the files that are compiled`(file: String) throws {
    let code = try String(
      contentsOf: Guide.root.appending(path: "Tests/Examples/SessionsThatTalk/\(file)"),
      encoding: .utf8)
    #expect(guide.blocks.contains { $0.language == "swift" && $0.code == code })
  }

  @Test func `each command has the output that the tutorial shows`() throws {
    let server = try ReactordProcess(program: "talk")
    let blocks = guide.blocks.filter { $0.language != "swift" }
    #expect(blocks.map(\.language) == Array(repeating: ["sh", ""], count: 4).flatMap(\.self))
    for (command, output) in zip(blocks, blocks.dropFirst()) where command.language == "sh" {
      let process = try ChildProcess(
        "/usr/bin/bash", ["-eu", "-c", command.code], environment: ["URL": server.url])
      #expect(try process.wait() == .code(0), "\(command.code)\n\(process.standardError)")
      #expect(process.standardOutput + "\n" == output.code, "\(command.code)")
    }
  }

  @Test func `a room counts the rooms, knows its visitors, and closes once`() throws {
    let server = try ReactordProcess(program: "talk")
    let room = server.session(of: "room")
    let parameters = #"{"parameters":{"title":"Tea","closesAt":"2020-01-01T00:00:00Z"}}"#
    #expect(try room.client.send("PUT", room.path, json: parameters).status == 201)
    let stream = try room.events("?name=Ada")
    var last: JSON?
    while last?["visitors"] != ["Ada"] { last = try stream.nextEvent()?.json }
    #expect(try room.post(#""open""#).status == 200)
    // The room is opened and listed. The timer, which is due immediately, closes it and removes it
    // from the directory.
    while last?["isOpen"] != true { last = try stream.nextEvent()?.json }
    while last?["isOpen"] != false { last = try stream.nextEvent()?.json }
    let directory = SessionClient(server.client(), "/v1/reactors/directory/sessions/main")
    #expect(try eventually { try directory.state().text == #"{"rooms":{}}"# })
    let changes = try directory.log().json.array?.compactMap { $0["mutation"]?["set"]?["title"] }
    #expect(changes == ["Tea"] || changes == ["Tea", nil])
    #expect(try room.client.get(room.path + "/timers").json == ["timers": []])
  }
}
