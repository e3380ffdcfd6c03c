@testable import ClientCore

extension TransportResponse {
  /// A problem response with a type of the server.
  static func problem(_ status: Int, _ type: String, _ members: String = "") -> TransportResponse {
    let body = #"{"type":"/problems/\#(type)","title":"No","status":\#(status)\#(members)}"#
    return TransportResponse(
      TransportHead(status: status, fields: [("Content-Type", "application/problem+json")]),
      body: Array(body.utf8))
  }

  /// The responses with a status that something before the server can send.
  static func foreign(_ status: Int) -> [TransportResponse] {
    let known = Problem.Kind.served[status]?.min() ?? "effect-failed"
    let bodies: [(type: String?, body: String)] = [
      (nil, ""), (nil, #"{"type":"/problems/\#(known)"}"#),
      ("text/html", "<html><title>No</title></html>"),
      ("text/html", #"{"type":"/problems/\#(known)"}"#),
      ("application/json", "{}"), ("application/json", #"{"type":"/problems/\#(known)"}"#),
      ("application/problem+json", "{}"), ("application/problem+json", ""),
      ("application/problem+json", #"{"type":"about:blank","title":"No"}"#),
      ("application/problem+json", #"{"type":"/problems/out-of-credit","title":"No"}"#),
      ("application/problem+json", #"{"type":"https://example.org/problems/\#(known)"}"#),
      ("application/problem+json", #"{"type":"/problems/\#(known)","ti"#),
      (
        "application/problem+json",
        #"{"type":"/problems/\#(status == 422 ? "forbidden" : "invalid-action")"}"#
      ),
    ]
    // A file of a web server has an entity tag that looks like a cursor.
    return bodies.flatMap { type, body in
      [nil, "\"5f3e1a2b-264\""].compactMap { tag in
        let isAnswer = tag != nil && status < 300 && (type == nil || type == "application/json")
        guard !isAnswer else { return nil }
        let fields = [("Content-Type", type), ("ETag", tag)].compactMap { name, value in
          value.map { (name: name, value: $0) }
        }
        return TransportResponse(
          TransportHead(status: status, fields: fields), body: Array(body.utf8))
      }
    }
  }
}
