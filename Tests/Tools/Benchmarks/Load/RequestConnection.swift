import Foundation
import Glibc

/// A connection to a server on loopback, for one request after the other.
final class RequestConnection {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// A response.
  struct Response {
    let status: Int
    let body: String
  }

  /// Connects to a port.
  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var noDelay: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, 4)
    guard LoopbackPort.connect(descriptor, to: port) else {
      throw BenchmarkError("nothing listens on port \(port)")
    }
  }

  deinit { close(descriptor) }

  /// Sends a request and reads its response, which has a `Content-Length` or no body.
  func send(
    _ method: String, _ path: String, key: String? = nil, json: String = "",
    isMinimal: Bool = false
  ) throws -> Response {
    var request = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    if isMinimal { request += "Prefer: return=minimal\r\n" }
    if let key { request += "Idempotency-Key: \"\(key)\"\r\n" }
    if !json.isEmpty { request += "Content-Type: application/json\r\n" }
    request += "Content-Length: \(json.utf8.count)\r\n\r\n" + json
    let bytes = Array(request.utf8)
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw BenchmarkError("the connection was lost")
    }
    buffer.removeAll(keepingCapacity: true)
    while true {
      if let response = parsed { return response }
      let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { space in
        let count = recv(descriptor, space.baseAddress, space.count, 0)
        if count > 0 { buffer += space[..<count] }
        return count
      }
      guard count > 0 else { throw BenchmarkError("the connection was lost") }
    }
  }

  /// The response in the buffer, if it is complete.
  private var parsed: Response? {
    let text = String(decoding: buffer, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].split(separator: "\r\n")
    let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { $0.split(separator: ":").last }
      .flatMap { Int($0.drop { $0 == " " }) }
    let body = text[end.upperBound...]
    guard body.utf8.count >= length ?? 0, let status = lines.first?.split(separator: " ")[1] else {
      return nil
    }
    return Response(status: Int(status) ?? 0, body: String(body))
  }
}
