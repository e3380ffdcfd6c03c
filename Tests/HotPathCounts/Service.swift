import ReactorHTTP
import ReactorTransport
import ReactorHost
import Synchronization

/// The service without a transport, with one session and streams of it.
final class Service {
  private let api = ReactorAPI(
    host: Host([ReactorRegistration("tally", summary: "A counter") { TallyReactor() }]))
  private let session = "/v1/reactors/tally/sessions/counted"
  private var streams: [any ByteStream] = []

  /// The number of events that the streams have produced.
  private(set) var deliveries = 0

  /// Posts an action, which has its response when this returns.
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
      headers: [(.contentType, "application/json")],
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
