import Foundation
import Testing

/// A service that may use one core, where one thread serves requests and streams.
@Suite(.blocking)
struct OneCoreTests {
  private let server: ReactordProcess

  init() throws {
    server = try ReactordProcess([], under: ["/usr/bin/taskset", "--cpu-list", "0"])
  }

  /// The names of the service's threads.
  private func threads() throws -> [String] {
    let tasks = "/proc/\(server.process.id)/task"
    return try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap { id in
      // A thread of a pool can have ended in the meantime.
      let name = try? String(contentsOfFile: "\(tasks)/\(id)/comm", encoding: .utf8)
      return name?.trimmingCharacters(in: .newlines)
    }
  }

  @Test func `streams and requests share a thread, and no event is lost`() throws {
    let session = server.session(of: "counter")
    let streams = try (0..<200).map { _ in try session.events("?replay=all") }
    for stream in streams { _ = try stream.nextEvent() }
    _ = try concurrently(4) { [server, path = session.path] _ in
      let session = SessionClient(server.client(), path)
      for _ in 0..<25 { try session.post(#""increase""#) }
    }
    for stream in streams {
      #expect(try stream.events(upTo: 100).map { $0.cursor?.version } == Array(1...100))
    }
    let names = try threads()
    #expect(names.contains("requests") && !names.contains("streams"))
  }

  @Test func `a stream is woken by an effect, and ends with the service`() throws {
    let session = server.session(of: "stopwatch")
    let events = try session.events()
    _ = try events.nextEvent()
    try session.post(#""start""#, ["Prefer": "respond-async"])
    for _ in 0..<3 { _ = try events.nextEvent() }
    #expect(try server.stop() == .code(0))
  }
}
