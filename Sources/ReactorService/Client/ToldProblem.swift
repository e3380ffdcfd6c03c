internal import ReactorCoding

/// A problem that a daemon answered (RFC 9457).
struct ToldProblem {
  /// Title, detail and what else helps, in one line.
  let text: String

  /// Whether the same request may well succeed later.
  let isPassing: Bool

  /// Reads the body of an answer, whatever it is.
  init(status: Int, body: [UInt8]) {
    let problem = try? JSONDocument(parsing: body).root
    var text = problem?["title"]?.string ?? "the answer was \(status)"
    if let detail = problem?["detail"]?.string { text += ". " + detail }
    if let pointer = problem?["pointer"]?.string, !pointer.isEmpty { text += " (at \(pointer))" }
    self.text = text
    switch problem?["type"]?.string {
    // The reactor's own refusal, with whatever status, is the answer.
    case "/problems/effect-failed": isPassing = false
    case "/problems/action-running": isPassing = true
    default: isPassing = [408, 429, 502, 503, 504].contains(status)
    }
  }
}
