import LogTestSupport
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Requests over a log whose reads complete late and on another thread.
@Suite(.timeLimit(.minutes(10)))
struct DelayedLogTests {
  let log: DelayedLog
  let service: Service

  init() throws {
    let memory = MemoryLog()
    let before = Service(log: memory)
    for id in ["demo", "other"] {
      for _ in 0..<3 {
        _ = try before.ask("POST", "\(Service.root)/\(id)/actions", body: #"{"add":1}"#)
      }
    }
    log = DelayedLog(memory)
    service = Service(log: log)
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
    let first = service.start("GET", "\(Service.root)/demo/events")
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

  @Test func `a load that fails is the problem of each request that waits`() async throws {
    log.hold("demo")
    let requests = (0..<3).map { _ in
      service.start("POST", "\(Service.root)/demo/actions", body: #"{"add":1}"#)
    }
    log.fail("demo", .unavailable("gone"))
    for request in requests {
      let response = try await response(request)
      #expect(response.problem == "503 unavailable")
      #expect(response[field: "Retry-After"] == "1")
    }
    let later = service.start("GET", "\(Service.root)/demo/state")
    #expect(try await response(later).text == #"{"value":3,"label":"none"}"#)
  }

  @Test func `a request that waits for a load is served while the service drains`() async throws {
    log.hold("demo")
    let request = service.start("POST", "\(Service.root)/demo/actions", body: #"{"add":1}"#)
    service.api.drain()
    #expect(try service.ask("GET", "\(Service.root)/other/state").problem == "503 unavailable")
    log.release("demo")
    #expect(try await response(request).text == #"{"value":4,"label":"none"}"#)
  }

  @Test func `the outcome of a change that the store did not confirm is unknown`() {
    let unknown = Problem(LogError.unknown).response
    #expect(unknown.problem == "503 unavailable")
    #expect(unknown.text.contains(#""outcome":"unknown""#))
    #expect(unknown[field: "Retry-After"] == "1")
    #expect(Problem(LogError.tooLarge).response.problem == "507 change-too-large")
  }
}
