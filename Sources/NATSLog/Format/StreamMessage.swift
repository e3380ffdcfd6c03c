internal import ReactorLog
internal import NATSClient
internal import ReactorCoding

/// A message that a stream has stored.
struct StreamMessage: Sendable {
  let subject: String
  let sequence: Int
  let headers: [String: String]
  let payload: [UInt8]
  /// The time at which the stream stored it, as RFC 3339, or `nil` if the reply does not have it.
  var time: String?

  /// The sequence of the subject's last message that the append expected, or `nil` if the message does
  /// not have the header field.
  var expected: Int? { headers["Nats-Expected-Last-Subject-Sequence"].flatMap { Int($0) } }

  /// The writer of the message, and its number.
  var mark: WriterMark? { headers["R"].flatMap { WriterMark($0) } }

  /// Reads the message in a reply of the brokers' API, whose payload and header fields are Base64.
  init?(_ message: JSONElement) {
    guard let subject = message["subject"]?.string, let sequence: Int = message["seq"]?.integer()
    else { return nil }
    func bytes(_ name: String) -> [UInt8]? {
      guard let element = message[name] else { return [] }
      guard element.kind == .string else { return nil }
      return Base64.decode(element.bytes.dropFirst().dropLast())
    }
    guard let payload = bytes("data"), let header = bytes("hdrs") else { return nil }
    self.subject = subject
    self.sequence = sequence
    self.payload = payload
    time = message["time"]?.string
    headers = Self.headers(of: header)
  }

  /// Parses a block of header fields: `NATS/1.0\r\nName: value\r\n\r\n`.
  ///
  /// If several fields have the same name, the value of the first one counts, as in
  /// `NATSMessage/headers`.
  static func headers(of block: [UInt8]) -> [String: String] {
    var headers: [String: String] = [:]
    for line in block.split(separator: UInt8(ascii: "\n")).dropFirst() {
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = line[(colon + 1)...].drop { $0 == UInt8(ascii: " ") }
      let name = String(decoding: line[..<colon], as: UTF8.self)
      if headers[name] == nil { headers[name] = String(decoding: value, as: UTF8.self) }
    }
    return headers
  }
}
