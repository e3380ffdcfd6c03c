import ReactorCore
import ReactorHost
import Reactors
import Testing

/// The catalogue in a host as the daemon creates it, with JSON actions.
struct HostedCatalogue {
  let catalogue: Catalogue
  let host: Host

  init() {
    catalogue = Catalogue()
    host = Host(catalogue.reactors, globals: catalogue.globals)
  }

  func session(_ reactor: String, _ id: String = "demo") async throws -> any Session {
    try await #require(host.reactor(reactor)).session(id, for: .use).session
  }
}

extension Session {
  /// Sends a body and returns the outcome as text.
  func send(_ body: String) async throws -> String {
    let (outcomes, outcome) = AsyncStream<ActionOutcome>.makeStream()
    try submit(
      Array(body.utf8), ifAt: nil, key: nil, for: nil, accepted: nil,
      completion: { outcome.yield($0) })
    for await outcome in outcomes { return outcome.words }
    throw CancellationError()
  }

  /// The state as JSON.
  var shown: String { String(decoding: current.json, as: UTF8.self) }
}

extension ActionOutcome {
  fileprivate var words: String {
    switch self {
    case .committed(let state): return String(decoding: state.json, as: UTF8.self)
    case .failed(_, let error, _):
      guard let error = error as? any ActionError else { return "failed" }
      return "\(error.status) \(error.title)"
    default: return "\(self)"
    }
  }
}
