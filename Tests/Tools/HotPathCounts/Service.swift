import Dispatch
import Identity
import ReactorHost
import ReactorHTTP
import ReactorTransport
import SampleToken
import Synchronization

/// The service without a transport, with one session and streams of it.
final class Service {
  private let api: ReactorAPI
  private let session = "/v1/reactors/tally/sessions/posted"
  private let fields: HTTPRequestHeaders
  private var streams: [any ByteStream] = []

  /// The number of events that the streams have produced.
  private(set) var deliveries = 0

  /// Creates a service that permits everything.
  ///
  /// If it authenticates, each request has a token, and the service permits only what a rule grants
  /// to the token's subject.
  init(authenticates: Bool = false) {
    var settings = ReactorAPI.Settings()
    settings.authentication = authenticates ? Self.authentication : nil
    // Measure what a release build does.
    var hostSettings = HostSettings()
    hostSettings.mutationCheck = .never
    let host = Host(
      [ReactorRegistration("tally", summary: "A counter") { TallyReactor() }],
      settings: hostSettings)
    api = ReactorAPI(host: host, settings: settings)
    // A request of a session in memory gets its response at once.
    let isOpen = DispatchSemaphore(value: 0)
    host.background.start {
      _ = try? await host.reactor("tally")?.session("posted", for: .use)
      isOpen.signal()
    }
    isOpen.wait()
    let token = "Bearer " + SampleToken.text
    fields =
      authenticates
      ? [(.contentType, "application/json"), (.authorization, token)]
      : [(.contentType, "application/json")]
  }

  /// A configuration that grants the subject of the token the right to act in its own session.
  static var authentication: Authenticator.Configuration {
    var configuration = Authenticator.Configuration()
    do {
      configuration.verifier = TokenVerifier(keys: try KeySet(Array(SampleToken.keys.utf8)))
      configuration.rules = try AccessRule.list(
        of: Array(#"[{"allow":"act","to":"tally/{sub}"}]"#.utf8))
    } catch {
      preconditionFailure("the sample key or the rule is invalid: \(error)")
    }
    return configuration
  }

  /// Posts an action, and checks that it has its response when the call returns.
  func post(_ request: HTTPRequest) {
    let hasResponse = Atomic<Bool>(false)
    api.respond(to: request) { response in
      hasResponse.store(response.status == 200, ordering: .relaxed)
    }
    precondition(
      hasResponse.load(ordering: .relaxed), "the action did not get its response at once")
  }

  /// Creates the request that posts an action.
  func request(_ action: String) -> HTTPRequest {
    HTTPRequest(
      method: "POST", path: session + "/actions",
      headers: fields,
      body: Array(action.utf8))
  }

  /// Opens streams of the session.
  func open(_ count: Int, query: String? = nil) {
    for _ in 0..<count {
      let opened = Mutex<(any ByteStream)?>(nil)
      api.respond(to: HTTPRequest(method: "GET", path: session + "/events", query: query)) {
        guard case .stream(let stream) = $0.body else { return }
        opened.withLock { $0 = stream }
      }
      guard let stream = opened.withLock({ $0 }) else { preconditionFailure("there is no stream") }
      streams.append(stream)
    }
    drain()
    deliveries = 0
  }

  /// Reads the pending events of the streams.
  func drain() {
    for stream in streams {
      while case .chunk = stream.next() { deliveries += 1 }
    }
  }
}
