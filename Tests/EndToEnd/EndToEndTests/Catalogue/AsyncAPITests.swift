import Foundation
import PublicTestData
import Testing

/// `GET /asyncapi.json` and `GET /llms.txt`.
@Suite(.blocking)
struct AsyncAPITests {
  let server: ReactordProcess

  init() throws {
    server = try ReactordProcess("--changes-keep", "3600")
  }

  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Tools/AsyncAPI/validate.py").standardizedFileURL

  /// A line for the script.
  private struct Event: Encodable {
    let channel, event, data: String
    let id: String?
  }

  /// The events of each channel that a client can request.
  private func events() throws -> [Event] {
    let session = server.session(of: "counter")
    let (one, all) = ("\(session.path)/events", "/v1/events?session=counter/\(session.id)")
    let global = "/v1/globals/currentUser/events"
    let views = [
      "", "select=/value", "delta=patch", "delta=merge", "delta=patch&select=/value", "old=true",
      "format=datastar&into=x",
    ]
    let notices = "select=none&activity=true&presence=true&signals=true"
    var streams: [(channel: String, stream: EventStream)] = []
    for query in views + [notices] {
      streams.append(("streamEvents", try EventStream(port: server.port, one + "?" + query)))
      streams.append(("streamManyEvents", try EventStream(port: server.port, all + "&" + query)))
    }
    for query in views {
      streams.append(
        ("streamGlobalEvents", try EventStream(port: server.port, global + "?" + query)))
    }
    streams.append(("streamEvents", try session.events("", ["Last-Event-ID": "x-9"])))
    streams.append(
      ("streamManyEvents", try EventStream(port: server.port, all, ["Last-Event-ID": "x-9"])))
    for query in ["", "?with=state", "?with=entries", "?after=other.1"] {
      streams.append(
        ("streamChanges", try EventStream(port: server.port, "/v1/changes/events" + query)))
    }
    var events: [Event] = []
    /// Reads a stream to its end, or up to an event.
    func read(_ channel: String, _ stream: EventStream, upTo name: String? = nil) throws {
      while let event = try stream.nextEvent() {
        let isState = event.event?.contains("/") == true
        events.append(
          Event(
            channel: channel, event: isState ? "{reactor}/{session}" : event.event ?? "message",
            data: event.data ?? "", id: event.id))
        if let name, event.event == name { return }
      }
    }
    for (channel, stream) in streams[14..<16] { try read(channel, stream, upTo: "presence") }
    try session.post(#"["increase",{"add":2}]"#)
    _ = try session.client.send("POST", session.path + "/signals?name=Ada", json: #"{"at":[1]}"#)
    _ = try server.client().send("PUT", "/v1/globals/currentUser", json: #"{"id":7,"name":"Ada"}"#)
    _ = try session.delete()
    for (channel, stream) in streams
    where !["streamGlobalEvents", "streamChanges"].contains(channel) {
      try read(channel, stream)
    }
    server.process.signal(SIGTERM)
    for (channel, stream) in streams
    where ["streamGlobalEvents", "streamChanges"].contains(channel) {
      try read(channel, stream)
    }
    return events
  }

  @Test(.enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
  func `the document is valid, and describes the events that arrive`() throws {
    let folder = try TemporaryFolder()
    let document = try server.client().get("/asyncapi.json")
    #expect(document["Content-Type"] == "application/json")
    try document.text.write(toFile: folder["asyncapi.json"], atomically: true, encoding: .utf8)
    let events = try events()
    let names = Set(events.map(\.event))
    #expect(
      names.isSuperset(of: [
        "message", "state", "patch", "merge", "change", "datastar-patch-signals", "activity",
        "presence", "signal", "reset", "end", "draining",
      ]))
    func run(_ events: [Event]) throws -> (exit: ChildProcess.Exit, output: String) {
      let lines = try events.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
      try lines.map { $0 + "\n" }.joined()
        .write(toFile: folder["events.txt"], atomically: true, encoding: .utf8)
      return try PythonTool.run(
        "python", [Self.script.path, folder["asyncapi.json"], folder["events.txt"]])
    }
    let (exit, output) = try run(events)
    #expect(exit == .code(0), "\(output)")
    let wrong = Event(
      channel: "streamEvents", event: "presence", data: #"{"count":"many"}"#, id: nil)
    #expect(try run([wrong]).exit == .code(1))
  }

  @Test func `llms_txt names the reactors and the addresses`() throws {
    let response = try server.client().get("/llms.txt")
    #expect(response["Content-Type"] == "text/plain; charset=utf-8")
    let lines = response.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.first == "# reactord")
    #expect(lines.first { !$0.isEmpty && !$0.hasPrefix("#") }?.hasPrefix("> ") == true)
    #expect(lines.contains("- [counter](v1/reactors/counter): A number that goes up and down"))
    #expect(response.text.contains("- `GET /v1/reactors/{reactor}/sessions/{session}/events`: "))
    // Below a heading of the second level each line is a link, and each link leads somewhere.
    let sections = lines.drop { !$0.hasPrefix("## ") }
    for line in sections where !line.isEmpty && !line.hasPrefix("## ") {
      let link = try #require(line.firstMatch(of: /^- \[[^\]]+\]\(([^)]+)\)/), "\(line)")
      #expect(try server.client().get("/" + link.1, ["Accept": "*/*"]).status == 200, "\(line)")
    }
  }
}
