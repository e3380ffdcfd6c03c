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
    guard prefix.utf8.allSatisfy(Self.isVisible), path.utf8.allSatisfy(Self.isVisible),
      fields.allSatisfy({ $0.isSendable })
    else { throw Unsendable() }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(512 + (body?.count ?? 0))
    bytes += method.utf8
    bytes += " \(prefix)/\(path) HTTP/1.1\r\nHost: \(host)\r\n".utf8
    if !keepsConnection { bytes += "Connection: close\r\n".utf8 }
    for field in fields {
      bytes += field.name.utf8
      bytes += ": ".utf8
      bytes += field.value.utf8
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
    method != "POST" || fields.contains { $0.name.utf8.elementsEqual("Idempotency-Key".utf8) }
  }

  fileprivate static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }
}

extension TransportRequest.Field {
  fileprivate var isSendable: Bool {
    name.utf8.allSatisfy { TransportRequest.isVisible($0) && $0 != UInt8(ascii: ":") }
      && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
  }
}
