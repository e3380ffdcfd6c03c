import ReactorCore
import ReactorHost
import ReactorLog

extension Session {
  /// Submits a body and records the outcomes as text.
  @discardableResult
  func send(
    _ body: String, ifAt expected: [Cursor]? = nil, key: String? = nil,
    by principal: Principal? = nil,
    accepted: Recorder<Int>? = nil
  ) throws(ActionDecodingError) -> Recorder<String> {
    let outcomes = Recorder<String>()
    try submit(
      Array(body.utf8), ifAt: expected, key: key,
      for: principal.map { RequestContext(id: "r-1", principal: $0) },
      accepted: { accepted?.add($0.version) },
      completion: { outcomes.add($0.words) })
    return outcomes
  }

  /// The state as text.
  var shown: String { current.words }
}

extension CommittedState {
  /// The version and the JSON.
  var words: String { "\(version) \(String(decoding: json, as: UTF8.self))" }
}

extension ActionOutcome {
  /// The outcome as text.
  var words: String {
    switch self {
    case .committed(let state): "committed \(state.words)"
    case .failed(let index, let error, _):
      "failed \(type(of: error))" + (index.map { " at \($0)" } ?? "")
    case .replayed(let outcome): "replayed \(outcome.words)"
    case .running: "running"
    case .keyReused: "key reused"
    case .mismatch(let state): "mismatch \(state.words)"
    case .overloaded: "overloaded"
    case .ended: "ended"
    case .displaced(let owner): "displaced by \(owner.map(\.description) ?? "another process")"
    case .invalid(let error): "invalid: \(error)"
    case .notOpened(let error): "not opened: \(error)"
    case .notCommitted(let error): "not committed: \(error)"
    }
  }
}

extension LogEntry {
  /// The entry as text, without its time.
  var words: String {
    let cause =
      action.map { String(decoding: $0, as: UTF8.self) } ?? global.map { "global \($0.name)" }
    return "\(version) \(cause ?? "-") \(String(decoding: mutation, as: UTF8.self))"
  }
}
