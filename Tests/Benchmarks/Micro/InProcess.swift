import ReactorHTTP
import ReactorHost
import Reactors
import Synchronization

/// The service without a transport: what of a request's time is ours.
enum InProcess {
  /// Posts an action to the counter many times.
  ///
  /// - Returns: The time of one request.
  static func post(count: Int) -> Duration {
    let api = ReactorAPI(host: Host(Catalogue().reactors))
    let request = HTTPRequest(
      method: "POST", path: "/v1/reactors/counter/sessions/bench/actions",
      headers: [(.contentType, "application/json")],
      body: Array(#""increase""#.utf8))
    let answered = Atomic<Int>(0)
    let clock = ContinuousClock()
    let time = clock.measure {
      for _ in 0..<count {
        api.respond(to: request) { response in
          if response.status == 200 { answered.add(1, ordering: .relaxed) }
        }
      }
    }
    precondition(answered.load(ordering: .relaxed) == count)
    return time / count
  }
}
