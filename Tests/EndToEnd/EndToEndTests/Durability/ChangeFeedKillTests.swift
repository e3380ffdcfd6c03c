import Foundation
import Synchronization
import Testing

/// The changes of all sessions are the logs of all sessions, also across kills.
@Suite(.blocking) struct ChangeFeedKillTests {
  /// Whether `make test-faults` runs the test: with more rounds, and with 1,000 sessions.
  private static let isLong = ProcessInfo.processInfo.environment["FAULT_ROUNDS"] != nil
  private static let rounds = isLong ? 100 : 6
  private static let sessions = isLong ? 1_000 : 60
  private static let writers = 10

  @Test(arguments: StoreKind.durable)
  func `a reader that resumes gets each session's log, once and in order`(kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    let flags = try kind.flags("log", in: folder)
    var reader = FeedReader()
    for _ in 0..<Self.rounds {
      let server = try Self.start(flags)
      reader = try Self.load(server, reader)
      try server.process.wait()
    }
    let server = try Self.start(flags)
    let versions = try Self.versions(of: server.client())
    // Commit one more change, which marks the end of the feed.
    let last = SessionClient(server.client(), Self.path(0))
    try last.post(#""increase""#)
    let end = try #require(versions["killed-0"]) + 1
    try reader.read(server.port, until: { $0.versions["killed-0"] == end })
    #expect(
      reader.versions.filter { $0.key != "killed-0" } == versions.filter { $0.key != "killed-0" })
    #expect(reader.hasGap == false)

    // Another reader, which starts at the first change, sees the same order.
    var other = FeedReader()
    try other.read(server.port, until: { $0.versions["killed-0"] == end })
    #expect(other.ids == reader.ids)
  }

  private static func start(_ flags: [String]) throws -> ReactordProcess {
    try ReactordProcess(flags + ["--changes-keep", "604800"])
  }

  private static func path(_ session: Int) -> String {
    "/v1/reactors/counter/sessions/killed-\(session)"
  }

  /// Runs the writers and the reader until the service is killed.
  private static func load(_ server: ReactordProcess, _ reader: FeedReader) throws -> FeedReader {
    let left = Atomic(Int.random(in: 50...500))
    let port = server.port
    let results = try concurrently(writers + 1) { index -> FeedReader? in
      guard index < writers else {
        var reader = reader
        try? reader.read(port, until: { _ in false })
        return reader
      }
      let client = HTTPClient(port: port)
      while true {
        let session = SessionClient(client, Self.path(Int.random(in: 0..<sessions)))
        guard (try? session.post(#"["increase","increase"]"#))?.status == 200 else { return nil }
        if left.subtract(1, ordering: .relaxed).newValue == 0 { server.process.kill() }
      }
    }
    return results.compactMap(\.self).first ?? reader
  }

  /// The versions of the sessions that have mutations.
  private static func versions(of client: HTTPClient) throws -> [String: Int] {
    var versions: [String: Int] = [:]
    var page: String? = "/v1/reactors/counter/sessions?limit=1000"
    while let path = page {
      let response = try client.get(path)
      for session in try response.json["sessions"]?.array ?? [] {
        guard let id = session["id"]?.string, let cursor = session["cursor"]?.string,
          let version = cursor.split(separator: "-").last.flatMap({ Int($0) })
        else { continue }
        versions[id] = version
      }
      page = response.nextPage
    }
    return versions
  }
}

/// A consumer of the feed that stores the last id together with its own results.
private struct FeedReader: Sendable {
  /// The last version of each session.
  private(set) var versions: [String: Int] = [:]
  private(set) var ids: [String] = []
  /// Whether a change did not follow the previous change of its session.
  private(set) var hasGap = false

  /// Reads until a condition is met, or the connection to the service ends.
  mutating func read(_ port: UInt16, until isDone: (FeedReader) -> Bool) throws {
    let stream = try EventStream(
      port: port, "/v1/changes/events?after=0", ids.last.map { ["Last-Event-ID": $0] } ?? [:])
    while !isDone(self), let event = try stream.nextEvent() {
      #expect(event.event == nil || event.event == "message", "\(event)")
      guard let id = event.id else { continue }
      let change = try event.json
      ids.append(id)
      guard let session = change["session"]?.string else { continue }
      switch change["kind"]?.string {
      case "began":
        if versions.updateValue(0, forKey: session) != nil { hasGap = true }
      case "changed":
        if change["from"]?.int != versions[session] { hasGap = true }
        versions[session] = change["to"]?.int
      default: hasGap = true
      }
    }
  }
}
