import ReactorHTTP
import ReactorTransport
import ReactorHost
import Reactors
import Synchronization

/// The service without a transport: the share of a request's time spent in this project's code.
enum InProcess {
  /// Posts an action to the counter repeatedly.
  ///
  /// - Returns: The time per request.
  static func post(count: Int) -> Duration {
    // Without threads, each request gets its response at once.
    var settings = HostSettings()
    settings.backgroundThreads = 0
    let api = ReactorAPI(host: Host(Catalogue().reactors, settings: settings))
    let request = HTTPRequest(
      method: "POST", path: "/v1/reactors/counter/sessions/bench/actions",
      headers: [(.contentType, "application/json")],
      body: Array(#""increase""#.utf8))
    let completed = Atomic<Int>(0)
    let clock = ContinuousClock()
    let time = clock.measure {
      for _ in 0..<count {
        api.respond(to: request) { response in
          if response.status == 200 { completed.add(1, ordering: .relaxed) }
        }
      }
    }
    precondition(completed.load(ordering: .relaxed) == count)
    return time / count
  }
}
