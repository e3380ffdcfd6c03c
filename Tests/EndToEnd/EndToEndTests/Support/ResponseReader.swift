/// Reads responses (RFC 9112) from a connection.
struct ResponseReader {
  let connection: Connection

  /// How the end of a body is determined.
  enum Framing {
    case none
    case length(Int)
    case chunked
    case untilClose
  }

  /// Reads the status line and the header fields; skips interim responses (1xx).
  func head(until deadline: ContinuousClock.Instant) throws -> HTTPResponse {
    while true {
      guard let line = try connection.line(until: deadline, "a status line") else {
        throw WireError.closed(within: "the wait for a response")
      }
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
        throw WireError.malformed(line)
      }
      var headers: [(name: String, value: String)] = []
      while let field = try connection.line(until: deadline, "header fields"), !field.isEmpty {
        let parts = field.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw WireError.malformed(field) }
        let value = parts[1].drop { $0 == " " }
        headers.append((String(parts[0]), String(value)))
      }
      if status >= 200 { return HTTPResponse(status: status, headers: headers) }
    }
  }

  func framing(of response: HTTPResponse, to method: String) -> Framing {
    if method == "HEAD" || response.status == 204 || response.status == 304 { return .none }
    if response["Transfer-Encoding"]?.lowercased() == "chunked" { return .chunked }
    if let length = response["Content-Length"].flatMap(Int.init) { return .length(length) }
    return .untilClose
  }

  /// Reads one chunk of a chunked body, or returns `nil` for the last one.
  func chunk(until deadline: ContinuousClock.Instant) throws -> [UInt8]? {
    guard let line = try connection.line(until: deadline, "a chunk") else {
      throw WireError.closed(within: "a chunked body")
    }
    guard let length = Int(line.prefix { $0 != ";" }, radix: 16) else {
      throw WireError.malformed("chunk size \(line)")
    }
    let bytes = try connection.bytes(length, until: deadline, "a chunk")
    guard try connection.line(until: deadline, "the end of a chunk") == "" else {
      throw WireError.malformed("a chunk without an end")
    }
    return length == 0 ? nil : bytes
  }

  func body(_ framing: Framing, until deadline: ContinuousClock.Instant) throws -> [UInt8] {
    var body: [UInt8] = []
    switch framing {
    case .none: break
    case .length(let length): body = try connection.bytes(length, until: deadline, "a body")
    case .chunked: while let chunk = try chunk(until: deadline) { body += chunk }
    case .untilClose:
      while let bytes = try connection.someBytes(until: deadline, "a body") { body += bytes }
    }
    return body
  }
}
