import Dispatch
import ReactorTransport
import Shares
import Testing

@testable import ReactorHTTP
@testable import ReactorHost

/// The openings of streams, while the only thread of the pool is busy.
@Suite(.timeLimit(.minutes(60)))
struct StreamOpeningTests {
  /// Occupies the only thread of a pool until the end.
  private final class Occupation: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    init(of pool: WorkerPool) {
      pool.enqueue { [semaphore] in semaphore.wait() }
    }

    func end() {
      semaphore.signal()
    }
  }

  private let service = Service(workers: 1)

  init() async {
    let created = service.start("PUT", "\(Service.root)/demo")
    while created.values.isEmpty { await Task.yield() }
  }

  private static let views = [
    "", "select=/label", "delta=patch", "delta=merge", "old=true", "format=datastar&into=a",
  ]

  private func label(_ letter: Character, _ count: Int = 10_000) -> String {
    #"{"label":"\#(String(repeating: letter, count: count))"}"#
  }

  private func start(
    _ query: String, after cursor: String? = nil
  ) -> Recorder<HTTPResponse> {
    service.start(
      "GET", "\(Service.root)/demo/events?\(query)", cursor.map { [(.lastEventID, $0)] } ?? [])
  }

  private func reader(of responses: Recorder<HTTPResponse>) async throws -> Reader {
    while responses.values.isEmpty { await Task.yield() }
    return try service.reader(of: try #require(responses.values.first))
  }

  private func areWaiting(_ streams: [Recorder<HTTPResponse>]) -> Bool {
    streams.allSatisfy { $0.values.isEmpty }
  }

  /// Reads until an event has a version.
  private func read(_ reader: Reader, until version: Int) async -> [String] {
    var events: [String] = []
    while reader.ids.last ?? -1 < version, !reader.isFinished {
      events += reader.read()
      await Task.yield()
    }
    return events
  }

  @Test func `the opening of a large State waits for the pool, and later events follow it`()
    async throws
  {
    try service.act(label("x"))
    let occupation = Occupation(of: service.api.background)
    defer { occupation.end() }
    let streams = Self.views.map { start($0) }
    let composite = service.start("GET", "/v1/events?session=number/demo")
    try #require(areWaiting(streams + [composite]))
    // Other requests do not wait.
    try service.act(label("y"))
    occupation.end()
    for _ in 0..<20 { try service.act(label("z")) }
    for (view, stream) in zip(Self.views, streams) {
      let reader = try await reader(of: stream)
      let events = await read(reader, until: view.contains("select") ? 3 : 22)
      #expect(events.first == "retry")
      let first = try #require(reader.ids.first)
      #expect(first >= 2)
      // The selected part changes with version 3 for the last time.
      let last = view.contains("select") ? max(first, 3) : 22
      #expect(reader.ids == Array(first...last), "\(view)")
    }
    _ = await read(try await reader(of: composite), until: 22)
  }

  @Test func `the opening of a small State does not wait for the pool`() throws {
    try service.act(label("x", 10))
    let occupation = Occupation(of: service.api.background)
    defer { occupation.end() }
    for view in Self.views { #expect(start(view).values.count == 1, "\(view)") }
  }

  @Test func `a stream that shares the opening of another one does not wait for the pool`()
    async throws
  {
    try service.act(label("x"))
    for view in Self.views {
      _ = try await reader(of: start(view))
      let occupation = Occupation(of: service.api.background)
      defer { occupation.end() }
      #expect(start(view).values.count == 1, "\(view)")
    }
  }

  @Test func `a stream that resumes gets the versions that were committed while it waited`()
    async throws
  {
    try service.act(label("x"))
    let cursor = try service.cursor(1)
    let occupation = Occupation(of: service.api.background)
    defer { occupation.end() }
    // The whole State need not be encoded for a client that has it.
    let whole = try #require(start("", after: cursor).values.first)
    #expect(try service.reader(of: whole).read() == ["retry", ": current"])
    let unchanged = start("select=/value", after: cursor)
    let changed = start("select=/label", after: cursor)
    let unknown = start("", after: "other-1")
    try #require(areWaiting([unchanged, changed, unknown]))
    try service.act(label("y", 1))
    occupation.end()
    #expect(
      await read(try await reader(of: changed), until: 2).last == #"2 "y""#)
    #expect(
      await read(try await reader(of: unknown), until: 2)
        == ["retry", "reset {}", #"2 {"value":0,"label":"y"}"#])
    #expect(await read(try await reader(of: unchanged), until: 2).last == "2 0")
  }

  @Test func `a session that is deleted while a stream waits ends the stream`() async throws {
    try service.act(label("x"))
    let occupation = Occupation(of: service.api.background)
    defer { occupation.end() }
    let stream = start("format=datastar&into=a")
    try await #require(service.api.host.reactor("number")).endSession("demo")
    occupation.end()
    let reader = try await reader(of: stream)
    #expect(reader.read().last == "end {}")
    #expect(reader.isFinished)
    reader.close()
    #expect(service.api.channels.streamCount == 0)
  }

  @Test func `a client with too much background work has to reconnect`() throws {
    try service.act(label("x"))
    let occupation = Occupation(of: service.api.background)
    defer { occupation.end() }
    let address = ClientAddress(version4: 1)
    let account = service.api.ledger.account(of: ClientAddress.client(of: address))
    while account.acquire(.jobs, of: Limits.backgroundJobs) {}
    for query in ["", "?replay=all"] {
      let responses = service.start("GET", "\(Service.root)/demo/events\(query)", from: address)
      let reader = try service.reader(of: try #require(responses.values.first))
      #expect(reader.read() == ["retry"])
      #expect(reader.isFinished)
      #expect(service.api.channels.streamCount == 0)
    }
  }
}
