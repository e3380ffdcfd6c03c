import Foundation
import Testing

/// The tutorial's package is compiled, tested and run.
@Suite(.blocking) struct TutorialTests {
  private static let root = Guide.root

  @Test(
    arguments: [
      "Package.swift", "Sources/Rooms/RoomReactor.swift", "Sources/room/main.swift",
      "Tests/RoomsTests/RoomTests.swift",
    ])
  func `the tutorial quotes the files that are compiled`(file: String) throws {
    let code = try String(
      contentsOf: Self.root.appending(path: "Tests/Examples/Tutorial/\(file)"), encoding: .utf8)
    let article = try String(
      contentsOf: Self.root.appending(
        path: "Sources/Server/ReactorService/Documentation.docc/BuildAChatRoom.md"), encoding: .utf8
    )
    #expect(article.contains("```swift\n\(code)```\n"))
  }

  @Test func `the room responds to the tutorial's commands, also after kill -9`() throws {
    let folder = try TemporaryFolder()
    let store = ["--store", "sqlite:\(folder["room.db"])"]
    var service = try ReactordProcess(store, program: "room")
    defer { _ = try? service.stop() }
    var den = SessionClient(service.client(), "/v1/reactors/room/sessions/den")

    #expect(try den.post(#"{"join":"Ada"}"#).text == #"{"members":["Ada"],"lines":[]}"#)
    let spoken = #"{"members":["Ada"],"lines":[{"who":"Ada","text":"Hello"}]}"#
    #expect(try den.post(#"{"say":{"who":"Ada","text":"Hello"}}"#).text == spoken)
    let rejected = try den.post(#"{"say":{"who":"Bob","text":"Let me in"}}"#)
    #expect(rejected.status == 422)
    #expect(rejected.text.contains("Bob is not in the room"))
    #expect(try den.state("?version=1").text == #"{"members":["Ada"],"lines":[]}"#)

    service.process.kill()
    try service.process.wait()
    service = try ReactordProcess(store, program: "room")
    den = SessionClient(service.client(), "/v1/reactors/room/sessions/den")
    #expect(try den.state().text == spoken)
  }
}
