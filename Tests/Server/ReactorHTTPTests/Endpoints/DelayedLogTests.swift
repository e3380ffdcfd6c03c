import LogTestSupport
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Requests over a log whose reads block for long.
@Suite(.timeLimit(.minutes(60)))
struct DelayedLogTests {
  let log: DelayedLog
  let service: Service
  /// A service over the same contents, whose reads do not block.
  let before: Service

  init() throws {
    let memory = MemoryLog()
    before = Service(log: memory)
    for id in ["demo", "other"] {
      for _ in 0..<3 {
        _ = try before.ask("POST", "\(Service.root)/\(id)/actions", body: #"{"add":1}"#)
      }
    }
    log = DelayedLog(memory)
    service = Service(log: log, workers: 8)
  }

  /// Returns when a read of the log is held.
  private func untilHeld() async {
    while log.heldCount == 0 { await Task.yield() }
  }

  private func response(_ responses: Recorder<HTTPResponse>) async throws -> HTTPResponse {
    while responses.values.isEmpty { await Task.yield() }
    return try #require(responses.values.first)
  }

  @Test(arguments: [
    ("GET", "/demo/state", nil), ("GET", "/demo/events", nil), ("PUT", "/demo", nil),
    ("POST", "/demo/actions", #"{"add":1}"#), ("DELETE", "/demo", nil),
  ])
  func `a request for a session that is not in memory delays no other request of its thread`(
    method: String, path: String, body: String?
  ) async throws {
    log.hold("demo")
    // A load occupies the session, so that DELETE has to wait as well.
    let first = service.start("PUT", "\(Service.root)/demo")
    await untilHeld()
    let slow = service.start(method, Service.root + path, body: body)
    let other = try await response(service.start("GET", "\(Service.root)/other/state"))
    #expect(other.text == #"{"value":3,"label":"none"}"#)
    let loaded = try service.ask("POST", "\(Service.root)/other/actions", body: #"{"add":1}"#)
    #expect(loaded.status == 200)
    #expect(slow.values.isEmpty && first.values.isEmpty)
    log.release("demo")
    #expect((200...204).contains(try await response(slow).status))
    #expect(try await response(first).status == 200)
  }

  @Test func `a stream that is opened during the load has the State and the actions after it`()
    async throws
  {
    log.hold("demo")
    let opening = service.start("GET", "\(Service.root)/demo/events")
    let action = service.start(
      "POST", "\(Service.root)/demo/actions", body: #"{"add":4}"#)
    log.release("demo")
    guard case .stream(let stream) = try await response(opening).body else { throw NoStream() }
    #expect(try await response(action).text == #"{"value":7,"label":"none"}"#)
    let reader = Reader(stream)
    var read: [String] = []
    while read.last != #"4 {"value":7,"label":"none"}"# { read += reader.read() }
    #expect(read.first == "retry")
    reader.close()
  }

  @Test func `a load that fails is the problem of the request that waits`() async throws {
    log.hold("demo")
    let request = service.start("POST", "\(Service.root)/demo/actions", body: #"{"add":1}"#)
    await untilHeld()
    log.fail("demo", .unavailable("gone"))
    let failed = try await response(request)
    #expect(failed.problem == "503 unavailable")
    #expect(failed[field: "Retry-After"] == "1")
    let later = service.start("GET", "\(Service.root)/demo/state")
    #expect(try await response(later).text == #"{"value":3,"label":"none"}"#)
  }

  @Test func `a replay skips no version if the log was not available when it was opened`()
    async throws
  {
    _ = try await response(service.start("GET", "\(Service.root)/demo/state"))
    log.hold("demo")
    let opening = service.start("GET", "\(Service.root)/demo/events?replay=all")
    await untilHeld()
    log.fail("demo", .unavailable("gone"))
    guard case .stream(let stream) = try await response(opening).body else { throw NoStream() }
    let reader = Reader(stream)
    var read: [String] = []
    while read.last?.hasPrefix("3 ") != true { read += reader.read() }
    #expect(read == ["retry"] + (0...3).map { "\($0) {\"value\":\($0),\"label\":\"none\"}" })
    reader.close()
  }

  @Test func `a request that waits for a load is served while the service drains`() async throws {
    log.hold("demo")
    let request = service.start("POST", "\(Service.root)/demo/actions", body: #"{"add":1}"#)
    await untilHeld()
    service.api.drain()
    #expect(try service.ask("GET", "\(Service.root)/other/state").problem == "503 unavailable")
    log.release("demo")
    #expect(try await response(request).text == #"{"value":4,"label":"none"}"#)
  }

  @Test(arguments: [
    "", "?limit=1", "?after=demo", "/demo/log", "/demo/log?limit=2", "/demo/log?after=1",
    "/demo/state?version=1", "/demo/state?version=9", "/demo/state?select=/value&version=2",
    "/nothing/log", "/nothing/state", "/demo/parameters",
  ])
  func `a response that needs the log is the same as that of a log in memory`(
    path: String
  ) async throws {
    let expected = try before.ask("GET", Service.root + path)
    let response = try await response(service.start("GET", Service.root + path))
    #expect(response.status == expected.status)
    #expect(response.text == expected.text)
    for field in ["Link", "ETag", "Content-Type"] {
      #expect(response[field: field] == expected[field: field])
    }
  }

  @Test(arguments: [
    "replay=all", "replay=all&select=/value", "delta=patch&replay=all", "delta=patch", "old=true",
    "replay=all&delta=merge",
  ])
  func `a stream of a client that returns is the same as that of a log in memory`(
    query: String
  ) async throws {
    let target = "\(Service.root)/demo/events?\(query)"
    let id = [(name: HTTPHeader.lastEventID, value: try before.cursor(1))]
    let expected = try before.open(target, id).read()
    let opening = try await response(service.start("GET", target, id))
    guard case .stream(let stream) = opening.body else { throw NoStream() }
    let reader = Reader(stream)
    var read: [String] = []
    while read.count < expected.count {
      read += reader.read()
      await Task.yield()
    }
    #expect(read == expected)
    reader.close()
  }

  @Test func `a stream of several sessions has them all`() async throws {
    let target = "/v1/events?session=number/demo&session=number/other&replay=all"
    let expected = try before.open(target).read()
    let opening = try await response(service.start("GET", target))
    guard case .stream(let stream) = opening.body else { throw NoStream() }
    let reader = Reader(stream)
    var read: [String] = []
    while read.count < expected.count {
      read += reader.read()
      await Task.yield()
    }
    #expect(Set(read) == Set(expected))
    reader.close()
  }

  @Test func `the outcome of a change that the store did not confirm is unknown`() {
    let unknown = Problem(LogError.unknown).response
    #expect(unknown.problem == "503 unavailable")
    #expect(unknown.text.contains(#""outcome":"unknown""#))
    #expect(unknown[field: "Retry-After"] == "1")
    #expect(Problem(LogError.tooLarge).response.problem == "507 change-too-large")
  }
}
