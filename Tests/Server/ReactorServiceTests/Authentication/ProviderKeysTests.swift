import Identity
import Synchronization
import Telemetry
import Testing

@testable import ReactorService

/// The keys of a provider that rotates, fails and lies.
struct ProviderKeysTests {
  /// A provider in the process of the test, with a clock that the test sets.
  private final class Provider: Sendable {
    struct State: Sendable {
      var time: Int64 = 1_000
      var configuration = Response(
        body: #"{"issuer":"https://a.example","jwks_uri":"https://keys.example/jwks"}"#)
      var keys = Response(body: ProviderKeysTests.set(1))
      var requests: [String] = []
      var changes = 0
    }

    struct Response: Sendable {
      var status = 200
      var body = ""
      var tag: String?
      var maxAge: Int64?
      /// The reason for which there is no response, or `nil`.
      var failure: String?
    }

    let state = Mutex(State())

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    var requests: [String] {
      state.withLock { state in
        defer { state.requests = [] }
        return state.requests
      }
    }

    var changes: Int { state.withLock { $0.changes } }

    func get(_ url: ProviderURL, _ tag: String?) -> Result<ProviderResponse, ProviderFailure> {
      state.withLock { state in
        let isKeys = url.path == "/jwks"
        state.requests.append(isKeys ? "keys \(tag ?? "-")" : "configuration")
        let response = isKeys ? state.keys : state.configuration
        if let failure = response.failure { return .failure(ProviderFailure(reason: failure)) }
        return .success(
          ProviderResponse(
            status: response.status, body: Array(response.body.utf8), tag: response.tag,
            maxAge: response.maxAge))
      }
    }
  }

  private static let points = [
    "deQzy31XpI0eD2ZRX3iFndxiw9t0WZfVwGnyktxBtr8",
    "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
  ]

  /// A set of the first keys.
  private static func set(_ count: Int) -> String {
    let keys = points.prefix(count).map { #"{"kty":"OKP","crv":"Ed25519","x":"\#($0)"}"# }
    return #"{"keys":[\#(keys.joined(separator: ","))]}"#
  }

  private let provider = Provider()
  private let keys: ProviderKeys

  init() throws {
    let issuer = try TrustedIssuer.list(
      of: Array(#"[{"issuer":"https://a.example","audience":"a"}]"#.utf8))
    let provider = provider
    keys = ProviderKeys(
      issuer[0], .silent, fetch: { url, tag in provider.get(url, tag) },
      clock: { provider.state.withLock { $0.time } },
      changed: { provider.set { $0.changes += 1 } })
  }

  /// Requests the keys if they are due at a time, and waits for the end of the request.
  private func start(at time: Int64) async {
    provider.set { $0.time = time }
    await keys.start()?.wait()
  }

  /// Requests an unknown key at a time; returns whether that was permitted.
  private func miss(at time: Int64) async -> Bool {
    provider.set { $0.time = time }
    let decision = keys.refresh(at: time)
    await decision?.wait()
    return decision != nil
  }

  @Test func `keys are requested when Cache-Control says so, with their entity tag`() async {
    provider.set { ($0.keys.tag, $0.keys.maxAge) = (#""one""#, 600) }
    await start(at: 1_000)
    #expect(provider.requests == ["configuration", "keys -"])
    #expect(keys.keys?.count == 1)
    await start(at: 1_599)
    #expect(provider.requests.isEmpty)
    provider.set { ($0.keys.status, $0.keys.maxAge) = (304, 5) }
    await start(at: 1_600)
    #expect(provider.requests == [#"keys "one""#])
    #expect(keys.keys?.count == 1)
    // A shorter time than a minute is a minute; a longer one than an hour, an hour.
    await start(at: 1_659)
    #expect(provider.requests.isEmpty)
    provider.set { $0.keys = Provider.Response(body: Self.set(2), maxAge: 1_000_000) }
    await start(at: 1_660)
    #expect(keys.keys?.count == 2)
    #expect(provider.changes == 2)
    _ = provider.requests
    await start(at: 1_660 + 3_599)
    #expect(provider.requests.isEmpty)
    await start(at: 1_660 + 3_600)
    #expect(provider.requests == ["keys -"])
    #expect(provider.changes == 2, "the same keys are no change")
  }

  @Test func `a token with an unknown key causes a request at most once in 30 s`() async {
    await start(at: 1_000)
    #expect(await !miss(at: 1_029))
    provider.set { $0.keys.body = Self.set(2) }
    #expect(await miss(at: 1_030))
    #expect(keys.keys?.count == 2)
    #expect(await !miss(at: 1_059))
    #expect(await miss(at: 1_060))
    // The clock was set back.
    #expect(await miss(at: 500))
  }

  @Test func `requests for unknown keys share one request to the provider`() async {
    let first = keys.refresh(at: 1_000)
    let second = keys.refresh(at: 1_000)
    #expect(first != nil)
    await first?.wait()
    await second?.wait()
    #expect(provider.requests == ["configuration", "keys -"])
  }

  static let faults: [(Int, String, String?)] = [
    (500, "", nil), (200, "", nil), (200, "{}", nil), (200, #"{"keys":[]}"#, nil),
    (200, #"{"keys":[{"kty":"oct","k":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"}]}"#, nil),
    (200, #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"deQz","d":"x"}]}"#, nil),
    (404, #"{"keys":[]}"#, nil), (200, "", "it does not respond"), (302, "", nil),
  ]

  @Test(arguments: faults)
  func `the last good keys stay while the provider fails`(
    status: Int, body: String, failure: String?
  ) async {
    await start(at: 1_000)
    #expect(keys.notice == nil)
    provider.set { state in
      state.keys = Provider.Response(status: status, body: body, failure: failure)
    }
    await start(at: 1_300)
    #expect(keys.keys?.count == 1)
    #expect(keys.confirmed == nil)
    #expect(
      keys.notice == "The keys of https://a.example are those of 1970-01-01T00:16:40.000Z.")
    #expect(provider.changes == 1)
    provider.set { $0.keys = Provider.Response(body: Self.set(2)) }
    await start(at: 1_302)
    #expect(keys.keys?.count == 2)
    #expect(keys.confirmed == 1_302)
    #expect(keys.notice == nil)
  }

  @Test func `304 in response to a request for all keys is a failure`() async {
    provider.set { $0.keys.status = 304 }
    await start(at: 1_000)
    #expect(keys.keys == nil)
    #expect(keys.confirmed == nil)
    #expect(keys.notice != nil)
    provider.set { $0.keys.status = 200 }
    await start(at: 1_002)
    #expect(keys.keys?.count == 1)
    #expect(keys.notice == nil)
  }

  static let lies = [
    "", "[]", #"{"issuer":"https://a.example"}"#,
    #"{"issuer":"https://b.example","jwks_uri":"https://keys.example/jwks"}"#,
    #"{"issuer":"https://a.example/","jwks_uri":"https://keys.example/jwks"}"#,
    #"{"issuer":"https://a.example","jwks_uri":"http://keys.example/jwks"}"#,
    #"{"issuer":"https://a.example","jwks_uri":"http://127.0.0.1/jwks"}"#,
    #"{"issuer":"https://a.example","jwks_uri":"file:///etc/passwd"}"#,
    #"{"issuer":"https://a.example","jwks_uri":["https://keys.example/jwks"]}"#,
  ]

  @Test(arguments: lies)
  func `a configuration that is not the provider's is not used`(body: String) async {
    let good = provider.state.withLock { $0.configuration }
    provider.set { $0.configuration.body = body }
    await start(at: 1_000)
    #expect(provider.requests == ["configuration"])
    #expect(keys.keys == nil)
    #expect(
      keys.notice
        == "https://a.example has not published its keys, and its tokens are not accepted.")
    provider.set { $0.configuration = good }
    await start(at: 1_002)
    #expect(keys.keys?.count == 1)
    #expect(keys.notice == nil)
  }

  @Test func `a provider that does not respond is queried at growing intervals`() async {
    provider.set { $0.configuration.failure = "it does not respond" }
    var times: [Int64] = []
    for time in 1_000..<1_300 {
      await start(at: Int64(time))
      if !provider.requests.isEmpty { times.append(Int64(time)) }
    }
    #expect(times == [1_000, 1_002, 1_006, 1_014, 1_030, 1_062, 1_122, 1_182, 1_242])
  }

  @Test func `the address of the keys is read again after a failure and after a day`() async {
    await start(at: 1_000)
    provider.set { $0.keys.status = 404 }
    await start(at: 1_300)
    _ = provider.requests
    provider.set { $0.keys.status = 200 }
    await start(at: 1_302)
    #expect(provider.requests == ["configuration", "keys -"])
    await start(at: 1_302 + ProviderKeys.configurationLifetime)
    #expect(provider.requests == ["configuration", "keys -"])
  }

  @Test(arguments: [
    ("max-age=600", 600), ("public, Max-Age=5 , must-revalidate", 5), ("no-store", 0),
    ("max-age=600, no-cache", 0), ("max-age=99999999999999999999", Int64.max), ("private", nil),
    ("max-age=", nil), ("max-age=-1", nil), ("x-max-age=4", nil), ("", nil),
  ])
  func `the lifetime of a response is that of Cache-Control`(field: String, seconds: Int64?) {
    #expect(ProviderHTTP.maxAge(of: field) == seconds)
  }
}
