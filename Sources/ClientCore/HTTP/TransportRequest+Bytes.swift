extension TransportRequest {
  /// A part of the request contains a control character or a space, which would change its framing.
  package struct Unsendable: Error {}

  /// The request as HTTP/1.1.
  ///
  /// - Parameters:
  ///   - host: The value of `Host`.
  ///   - prefix: The path prefix of a proxy, `/api`; empty for none.
  ///   - keepsConnection: Whether another request can follow on the connection.
  /// - Returns: The head and the body.
  /// - Throws: If the path or a field is invalid, such as a token that ends with a newline.
  package func bytes(
    host: String, prefix: String = "", keepsConnection: Bool
  ) throws(Unsendable) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512 + (body?.count ?? 0))
    bytes += method.utf8
    bytes += " ".utf8
    try bytes.append(prefix, where: Self.isVisible)
    bytes += "/".utf8
    try bytes.append(path, where: Self.isVisible)
    bytes += " HTTP/1.1\r\nHost: ".utf8
    bytes += host.utf8
    bytes += "\r\n".utf8
    if !keepsConnection { bytes += "Connection: close\r\n".utf8 }
    for field in fields {
      try bytes.append(field.name) { Self.isVisible($0) && $0 != UInt8(ascii: ":") }
      bytes += ": ".utf8
      try bytes.append(field.value) { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
      bytes += "\r\n".utf8
    }
    if let body { bytes += "Content-Length: \(body.count)\r\n".utf8 }
    bytes += "\r\n".utf8
    if let body { bytes += body }
    return bytes
  }

  /// Whether the request can be repeated on another connection if the first one was closed without a
  /// byte of the response (RFC 9110, 9.2.2).
  package var isRepeatable: Bool {
    method != "POST" || fields.contains { $0.name == "Idempotency-Key" }
  }

  fileprivate static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}

extension [UInt8] {
  /// Appends the UTF-8 of a text.
  ///
  /// - Throws: If a byte is not allowed.
  fileprivate mutating func append(
    _ text: String, where isAllowed: (UInt8) -> Bool
  ) throws(TransportRequest.Unsendable) {
    let start = count
    self += text.utf8
    let isValid = unsafe withUnsafeBufferPointer { bytes in
      for index in start..<bytes.count where unsafe !isAllowed(bytes[index]) { return false }
      return true
    }
    guard isValid else { throw TransportRequest.Unsendable() }
  }
}
