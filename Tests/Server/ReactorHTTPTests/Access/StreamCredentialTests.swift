import Identity
import ReactorLog
import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

/// `POST /v1/streams/{stream}/credential`: an open stream continues with another credential.
struct StreamCredentialTests {
  private static let rules = #"[{"allow":"act","to":"number/demo","if":{"role":["a","b"]}}]"#
  private static let claims = #"{"sub":"ada","role":"a"}"#

  /// A service with a clock that the test sets, in milliseconds since 1970.
  private final class Clock: Sendable {
    let time = Mutex(Timestamp.now.milliseconds)

    var now: Int64 { time.withLock { $0 } }

    func set(_ seconds: Int64) { time.withLock { $0 = seconds * 1000 } }
  }

  private let clock = Clock()
  private let end: Int64
  private let service: Service

  init() throws {
    let configuration = try SignedToken.configuration(rules: Self.rules)
    end = clock.now / 1000 + 1_000
    service = Service(
      log: MemoryLog(changeRetention: .seconds(3_600)),
      expiries: StreamExpiries { [clock] in clock.now },
      settings: { $0.authentication = configuration })
  }

  private func bearer(
    _ claims: String = claims, until expiry: Int64? = nil
  ) -> [(name: HTTPHeader, value: String)] {
    let token = SignedToken.make(claims, expiry: expiry ?? 4_102_444_800)
    return [(.authorization, "Bearer \(token)")]
  }

  private func open(
    _ target: String = "\(Service.root)/demo/events", until expiry: Int64? = nil
  ) throws -> (reader: Reader, id: String) {
    let response = try service.ask("GET", target, bearer(until: expiry))
    let id = try #require(response[field: "Stream-Id"])
    return (try service.reader(of: response), id)
  }

  private func replace(
    _ id: String, _ headers: [(name: HTTPHeader, value: String)]
  ) throws -> HTTPResponse {
    try service.ask("POST", "/v1/streams/\(id)/credential", headers)
  }

  private func add() throws { try service.act(#"{"add":1}"#, bearer()) }

  @Test func `a stream continues without a gap, until the new credential expires`() throws {
    let (reader, id) = try open(until: end)
    _ = reader.read()
    try add()
    #expect(try replace(id, bearer(until: end + 500)).status == 204)
    clock.set(end + 1)
    try add()
    #expect(reader.read().map { $0.prefix(1) } == ["1", "2"])
    #expect(!reader.isFinished)
    // The last credential is the one that counts, also if it expires earlier.
    #expect(try replace(id, bearer(until: end + 700)).status == 204)
    #expect(try replace(id, bearer(until: end + 300)).status == 204)
    clock.set(end + 300)
    try add()
    #expect(reader.read() == ["expired {}"])
    #expect(reader.isFinished)
    #expect(try replace(id, bearer()).problem == "404 not-found")
    reader.close()
  }

  @Test func `a stream with a new credential is woken when that expires`() async throws {
    let (reader, id) = try open(until: end)
    _ = reader.read()
    #expect(try replace(id, bearer(until: end + 500)).status == 204)
    await withCheckedContinuation { continuation in
      let waker = Waker { continuation.resume() }
      for group in reader.groups { group.add(waker) }
      clock.set(end + 500)
    }
    #expect(reader.read() == ["expired {}"])
    reader.close()
  }

  @Test func `another principal cannot replace a credential, and does not learn of the stream`()
    throws
  {
    let (reader, id) = try open(until: end)
    for headers in [bearer(#"{"sub":"eve","role":"a"}"#), bearer(#"{"sub":"Ada","role":"a"}"#)] {
      #expect(try replace(id, headers).problem == "404 not-found")
    }
    #expect(try replace(id, []).problem == "401 unauthorized")
    let unknown = String(id.reversed())
    for id in [unknown, "x", id.uppercased() + "0", String(repeating: "+", count: 32)] {
      #expect(try replace(id, bearer()).problem == "404 not-found", "\(id)")
    }
    clock.set(end)
    _ = reader.read()
    #expect(reader.isFinished)
    reader.close()
  }

  @Test func `a credential without the right is rejected, and the stream is as before`() throws {
    let (reader, id) = try open(until: end)
    _ = reader.read()
    #expect(try replace(id, bearer(#"{"sub":"ada","role":"c"}"#)).problem == "403 forbidden")
    try add()
    #expect(reader.read().map { $0.prefix(1) } == ["1"])
    clock.set(end)
    #expect(reader.read() == ["expired {}"])
    reader.close()
  }

  @Test func `the rules apply to the new credential`() throws {
    let (reader, id) = try open()
    _ = reader.read()
    #expect(try replace(id, bearer(#"{"sub":"ada","role":"b"}"#)).status == 204)
    let rules = #"[{"allow":"act","to":"number/demo","if":{"role":"b"}}]"#
    service.api.replaceAuthentication(try SignedToken.configuration(rules: rules))
    try service.act(#"{"add":1}"#, bearer(#"{"sub":"ada","role":"b"}"#))
    #expect(reader.read().map { $0.prefix(1) } == ["1"])
    service.api.replaceAuthentication(try SignedToken.configuration(rules: "[]"))
    #expect(reader.read() == ["expired {}"])
    reader.close()
  }

  @Test func `a stream of all changes shows what the new credential may read`() throws {
    let (reader, id) = try open("/v1/changes/events?with=state", until: end)
    _ = reader.read() + reader.read()
    #expect(try replace(id, bearer(until: end + 500)).status == 204)
    clock.set(end + 1)
    // The former credential is checked again with the next configuration, and has expired.
    service.api.replaceAuthentication(try SignedToken.configuration(rules: Self.rules))
    try add()
    #expect((reader.read() + reader.read()).joined().contains(#""value":1"#))
    reader.close()
  }

  @Test func `streams that are closed leave no trace`() throws {
    let streams = try (0..<10).map { _ in try open(until: end) }
    for (reader, _) in streams { reader.close() }
    for (_, id) in streams { #expect(try replace(id, bearer()).problem == "404 not-found") }
    #expect(service.api.openStreams.isEmpty)
  }

  @Test func `a stream without a principal has no id`() throws {
    let service = Service(settings: {
      $0.authentication = .tokens(
        "a-token-of-a-reader read", rules: #"[{"allow":"read","anonymous":true}]"#)
    })
    let token = [(name: HTTPHeader.authorization, value: "Bearer a-token-of-a-reader")]
    for headers in [token, []] {
      let response = try service.ask("GET", "\(Service.root)/demo/events", headers)
      #expect(response[field: "Stream-Id"] == nil)
      try service.reader(of: response).close()
    }
  }

  /// Calls a function at the first wake.
  private final class Waker: StreamWaking {
    private let function: Mutex<(@Sendable () -> Void)?>

    init(_ function: @escaping @Sendable () -> Void) { self.function = Mutex(function) }

    func wake(_ group: StreamGroup) { function.withLock { $0.take() }?() }
  }
}
