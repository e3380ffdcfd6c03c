import Foundation

/// One block of a stream: the lines between two empty lines.
///
/// A comment alone is a block, too.
struct ServerSentEvent: Equatable, Sendable {
  var event: String?
  var id: String?
  var data: String?
  var retry: String?
  var comments: [String] = []

  /// Whether a browser would dispatch it: blocks without data are dropped.
  var isDispatched: Bool { data != nil }

  var cursor: Cursor? { id.flatMap { Cursor($0) } }

  var json: JSON {
    get throws { try JSONDecoder().decode(JSON.self, from: Data((data ?? "").utf8)) }
  }

  /// Processes one line (WHATWG HTML, 9.2.6).
  mutating func take(_ line: Substring) {
    guard let colon = line.firstIndex(of: ":") else { return set(line, "") }
    var value = line[line.index(after: colon)...]
    if value.first == " " { value = value.dropFirst() }
    if colon == line.startIndex {
      comments.append(String(value))
    } else {
      set(line[..<colon], String(value))
    }
  }

  private mutating func set(_ name: Substring, _ value: String) {
    switch name {
    case "event": event = value
    case "id": id = value
    case "retry": retry = value
    case "data": data = data.map { $0 + "\n" + value } ?? value
    default: break
    }
  }
}
