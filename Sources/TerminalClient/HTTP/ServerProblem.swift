internal import ReactorCoding

/// The problem in the response of a server (RFC 9457).
struct ServerProblem {
  /// Title, detail and pointer in one line.
  let text: String

  /// Whether a retry of the same request may succeed.
  let isTransient: Bool

  /// Reads the body of a response; a body that is not a problem is described by its status.
  init(status: Int, body: [UInt8]) {
    let problem = try? JSONDocument(parsing: body).root
    var text = problem?["title"]?.string ?? "the response has the status \(status)"
    if let detail = problem?["detail"]?.string { text += ". " + detail }
    if let pointer = problem?["pointer"]?.string, !pointer.isEmpty { text += " (at \(pointer))" }
    self.text = text
    switch problem?["type"]?.string {
    // The reactor rejected the action; its status may be any.
    case "/problems/effect-failed": isTransient = false
    case "/problems/action-running": isTransient = true
    default: isTransient = [408, 429, 502, 503, 504].contains(status)
    }
  }
}
