import Foundation
import Testing

/// The flow `order`, used with curl.
@Suite(.blocking, .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")))
struct FlowTests {
  let server: ReactordProcess
  let session: SessionClient

  init() throws {
    server = try ReactordProcess.shared.get()
    session = server.session(of: "order")
  }

  private func curl(_ path: String, _ arguments: String...) throws -> (status: Int, body: JSON) {
    let process = try ChildProcess(
      "/usr/bin/curl",
      ["--silent", "--show-error", "--max-time", "300", "-w", "\n%{http_code}"] + arguments
        + [server.url + path])
    #expect(try process.wait() == .code(0))
    let lines = process.standardOutput.split(separator: "\n")
    return (Int(lines.last ?? "") ?? 0, try JSON(parsing: String(lines.first ?? "null")))
  }

  private func post(_ action: String) throws -> (status: Int, body: JSON) {
    try curl(session.path + "/actions", "--json", action)
  }

  private func screens(_ state: JSON) -> [String] {
    (state["stack"]?["entries"]?.array ?? []).compactMap { $0["screen"]?.string }
  }

  private func send(_ id: String, _ action: String) -> String {
    #"{"stack":{"send":{"to":"\#(id)","action":\#(action)}}}"#
  }

  @Test func `the exchange of the documentation happens as printed`() throws {
    var response = try post(send("1", #"{"menu":{"choose":"Latte"}}"#))
    #expect(response.status == 200)
    #expect(screens(response.body) == ["menu", "drink"])
    #expect(try session.state().cursor?.version == 2)
    response = try post(send("2", #"{"drink":{"size":"large"}}"#))
    #expect(response.status == 200)
    response = try post(send("2", #"{"drink":"add"}"#))
    #expect(screens(response.body) == ["menu"])
    #expect(response.body["drinks"]?.array?.count == 1)
    response = try post(#""checkout""#)
    #expect(screens(response.body) == ["menu", "checkout"])
    #expect(response.body["stack"]?["path"] == .null)
    response = try post(#"{"stack":{"dismiss":"3"}}"#)
    #expect(response.body["abandoned"] == 1)
    let version = try session.state().cursor?.version
    let again = try post(#"{"stack":{"dismiss":"3"}}"#)
    #expect(again.status == 200 && again.body == response.body)
    #expect(try session.state().cursor?.version == version)
    response = try post(send("3", #"{"checkout":{"stack":{"open":"/"}}}"#))
    #expect(response.status == 409)
    #expect(response.body["title"] == "The screen is gone")
    response = try post(#"{"stack":{"open":"/drinks/Mocha"}}"#)
    #expect(response.body["stack"]?["path"] == "/drinks/Mocha")

    let log = try curl(session.path + "/log?after=3").body.array ?? []
    #expect(
      log.prefix(3).map { $0["mutation"] } == [
        try JSON(
          parsing: #"{"stack":{"change":{"id":"2","mutation":"#
            + #"{"drink":{"added":{"name":"Latte","size":"large"}}}}}}"#),
        try JSON(parsing: #"{"add":{"name":"Latte","size":"large"}}"#),
        try JSON(
          parsing: #"{"stack":{"dismiss":{"entries":[{"id":"2","onDismissed":null}],"#
            + #""animated":true}}}"#),
      ])
    #expect(Set(log.prefix(3).map { $0["action"] }).count == 1)
    #expect(
      screens(try curl(session.path + "/state?version=2").body) == ["menu", "drink"])
  }

  @Test func `the article quotes the flow that is compiled, and its commands have their outputs`()
    throws
  {
    let guide = try Guide("Sources/Kit/ReactorFlows/Documentation.docc/ScreensAndFlows.md")
    let file = "Tests/Kit/ReactorFlowsTests/Support/OrderFlow.swift"
    let code = try String(contentsOf: Guide.root.appending(path: file), encoding: .utf8)
    // In the tests the modules belong to another target, so the file has an additional import.
    let compiled = code.replacing("@testable import Reactors\n\n", with: "")
    #expect(guide.blocks.first { $0.language == "swift" }?.code == compiled)

    let blocks = guide.blocks.filter { $0.language == "sh" || $0.language == "" }
    #expect(blocks.map(\.language) == ["sh", "", "sh", "", "sh", ""])
    for (command, output) in zip(blocks, blocks.dropFirst()) where command.language == "sh" {
      let process = try ChildProcess(
        "/usr/bin/bash", ["-eu", "-c", command.code],
        environment: ["S": server.url + session.path])
      #expect(try process.wait() == .code(0), "\(command.code)\n\(process.standardError)")
      #expect(process.standardOutput + "\n" == output.code, "\(command.code)")
    }
  }

  @Test func `a fork begins at the screen of its version`() throws {
    _ = try post(send("1", #"{"menu":{"choose":"Latte"}}"#))
    _ = try post(#"{"stack":{"dismiss":"2"}}"#)
    let fork = try curl(
      session.siblings, "--json", #"{"from":{"session":"\#(session.id)","version":2}}"#)
    #expect(fork.status == 201)
    #expect(screens(fork.body["state"] ?? fork.body) == ["menu", "drink"])
  }

  @Test func `an order is paid through the screens of the child flow`() throws {
    let own = try ReactordProcess()
    let session = own.session(of: "order")
    for action in [
      send("1", #"{"menu":{"choose":"Latte"}}"#), send("2", #"{"drink":"add"}"#), #""checkout""#,
      send("3", #"{"checkout":{"stack":{"send":{"to":"1","action":{"tip":{"tip":2}}}}}}"#),
      send("3", #"{"checkout":{"stack":{"send":{"to":"1","action":{"tip":"proceed"}}}}}"#),
      send("3", #"{"checkout":{"stack":{"send":{"to":"2","action":{"payment":"pay"}}}}}"#),
    ] {
      #expect(try session.post(action, ["Prefer": "wait=60"]).status == 200, "\(action)")
    }
    let state = try session.state().json
    #expect(screens(state) == ["menu"])
    #expect(state["receipt"] == "R-6")
    #expect(state["abandoned"] == 0)
    #expect(state["drinks"] == [])
  }

  @Test func `a double click begins one checkout and one payment`() throws {
    for action in [send("1", #"{"menu":{"choose":"Latte"}}"#), send("2", #"{"drink":"add"}"#)] {
      #expect(try post(action).status == 200)
    }
    for action in [
      #""checkout""#,
      send("3", #"{"checkout":{"stack":{"send":{"to":"1","action":{"tip":"proceed"}}}}}"#),
    ] {
      #expect(try post(action).status == 200)
      #expect(try post(action).status == 200)
    }
    let entries = try session.state().json["stack"]?["entries"]?.array ?? []
    #expect(entries.count == 2)
    #expect(screens(entries.last?["state"] ?? .null) == ["tip", "payment"])
  }

  @Test func `a payment that a kill interrupts is completed after the restart`() throws {
    let folder = try TemporaryFolder()
    let store = "sqlite:" + folder["log.db"]
    let killed = try ReactordProcess(
      "--store", store, "--bank-latency", "3600", program: "adjustable")
    let session = killed.session(of: "order")
    for action in [
      send("1", #"{"menu":{"choose":"Latte"}}"#), send("2", #"{"drink":"add"}"#), #""checkout""#,
      send("3", #"{"checkout":{"stack":{"send":{"to":"1","action":{"tip":"proceed"}}}}}"#),
    ] {
      #expect(try session.post(action).status == 200, "\(action)")
    }
    let pay = send("3", #"{"checkout":{"stack":{"send":{"to":"2","action":{"payment":"pay"}}}}}"#)
    #expect(try session.post(pay, ["Prefer": "wait=0"]).status == 202)
    // The bank must not be called again while a call is running.
    #expect(try session.post(pay).status == 409)
    #expect(try session.post(#"{"stack":{"dismiss":"3"}}"#).status == 409)
    killed.process.kill()
    try killed.process.wait()

    let next = try ReactordProcess("--store", store)
    let successor = SessionClient(next.client(), session.path)
    #expect(try eventually { try successor.state().json["receipt"] == "R-4" })
    #expect(screens(try successor.state().json) == ["menu"])
  }

  @Test(arguments: [
    (#""checkout""#, 409, "Nothing is ordered yet"),
    (#"{"stack":{"dismiss":"1"}}"#, 409, "The first screen stays"),
    (#"{"stack":{"open":"/moon"}}"#, 404, "No such place"),
    (#"{"stack":{"open":"/drinks/%ff"}}"#, 404, "No such place"),
    (#"{"stack":{"open":"/drinks/Tea"}}"#, 404, "No such place"),
    (#"{"stack":{"send":{"to":"9","action":{"drink":"add"}}}}"#, 409, "The screen is gone"),
    (
      #"{"stack":{"send":{"to":"1","action":{"drink":"add"}}}}"#, 422,
      "The action is for another screen"
    ),
  ])
  func `a rejected navigation states what to do`(
    action: String, status: Int, title: String
  ) throws {
    let response = try post(action)
    #expect(response.status == status)
    #expect(response.body["title"]?.string == title)
    #expect(response.body["detail"]?.string?.hasSuffix(".") == true)
    #expect(try session.state().cursor?.version == 0)
  }

  @Test func `an unknown screen has a pointer and the valid names`() throws {
    let response = try post(send("1", #"{"moon":"x"}"#))
    #expect(response.status == 422)
    #expect(response.body["pointer"] == "/stack/send/action")
    #expect(response.body["expected"] == ["menu", "drink", "checkout"])
  }

  @Test func `the path of the stack is a stream`() throws {
    let stream = try session.events("?select=/stack/path")
    #expect(try stream.nextEvent()?.data == #""/""#)
    _ = try post(#"{"stack":{"open":"/drinks/Mocha"}}"#)
    #expect(try stream.nextEvent()?.data == #""/drinks/Mocha""#)
  }

  @Test func `watch prints the screens when they change`() throws {
    let watch = try ReactordProcess.launch(["watch", server.url + session.path])
    _ = eventually { watch.standardOutput.contains("  menu  /\n") }
    _ = try post(send("1", #"{"menu":{"choose":"Latte"}}"#))
    _ = eventually { watch.standardOutput.contains("  menu > drink  /drinks/Latte\n") }
    _ = try post(send("2", #"{"drink":"add"}"#))
    _ = try post(#""checkout""#)
    _ = eventually { watch.standardOutput.contains("  menu > checkout > tip\n") }
    #expect(watch.standardOutput.contains("  menu > drink  /drinks/Latte\n"))
    #expect(watch.standardOutput.contains("  menu > checkout > tip\n"))
    _ = try session.delete()
    #expect(try watch.wait() == .code(0))
  }

  @Test func `openapi.json and types.ts have the types of the modules`() throws {
    let openAPI = try session.client.get("/openapi.json").text
    #expect(openAPI.contains(#"{"type":"string","enum":["drink"]}"#))
    let types = try session.client.get("/v1/reactors/order/types.ts").text
    #expect(types.contains(#"screen: "drink""#))
    #expect(types.contains(#"{ menu: { choose: string } }"#))
  }
}
