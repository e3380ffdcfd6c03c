internal import ReactorTransport
internal import SystemThreads

/// The bytes of a response's status line and header fields, for connections that leave libmicrohttpd.
struct ResponseHead {
  /// How the body is delimited.
  enum Framing {
    case chunked
    case untilClose
    case length(Int)
  }

  /// The bytes, including the empty line.
  private(set) var bytes: [UInt8] = []

  /// Creates a head.
  ///
  /// Omits fields of the framing, fields without a value, and fields that could split the response,
  /// as libmicrohttpd does.
  init(status: Int, headers: HTTPFields, framing: Framing) {
    bytes.reserveCapacity(256)
    append("HTTP/1.1 \(status) \(ReasonPhrase.of(status))\r\n")
    append("Date: \(HTTPDate(secondsSince1970: Clock.calendarSeconds))\r\nConnection: close\r\n")
    for (name, value) in headers where Self.isSendable(name, value) {
      append(name)
      append(": ")
      append(value)
      append("\r\n")
    }
    switch framing {
    case .chunked: append("Transfer-Encoding: chunked\r\n")
    case .untilClose: break
    case .length(let length): append("Content-Length: \(length)\r\n")
    }
    append("\r\n")
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private static func isSendable(_ name: String, _ value: String) -> Bool {
    guard !name.isEmpty, !value.isEmpty else { return false }
    guard name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }) else {
      return false
    }
    guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { return false }
    switch name.lowercased() {
    case "connection", "content-length", "date", "transfer-encoding": return false
    default: return true
    }
  }
}
