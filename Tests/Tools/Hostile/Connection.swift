import Foundation
import Glibc

/// A blocking HTTP/1.1 connection to the daemon that can also send bytes that are not HTTP.
final class Connection {
  /// The address of the daemon and the source address of the client.
  struct Endpoint {
    var port: UInt16
    /// The last byte of the source address in 127.0.0.0/8, so that limits per address apply to abusive
    /// clients only.
    var source: UInt8
    /// The address that a trusted proxy forwards with each request.
    var forwarded: String?
  }

  /// A response whose body has been read.
  struct Response {
    var status: Int
    var body: [UInt8]
  }

  private let descriptor: Int32
  private let tally: Tally?
  private let forwarded: String?
  private var received: [UInt8] = []

  /// Connects, or returns `nil` if the daemon rejects the connection.
  init?(to endpoint: Endpoint, timeout: Int = 10, tally: Tally? = nil) {
    self.tally = tally
    forwarded = endpoint.forwarded
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    var one: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, size)
    setsockopt(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &one, size)
    var timeout = timeval(tv_sec: timeout, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(
        descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }
    let isConnected =
      Self.call(bind, descriptor, endpoint.source, 0)
      && Self.call(connect, descriptor, 1, endpoint.port)
    guard isConnected else { return nil }
    tally?.addConnection()
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32,
    _ host: UInt8, _ port: UInt16
  ) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  /// Sends bytes; `false` if the daemon has closed the connection or does not read.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    defer { tally?.addBytes(sent) }
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool {
    send(Array(addingAddress(text).utf8))
  }

  /// Adds the field that a proxy adds to the heads of requests.
  private func addingAddress(_ heads: String) -> String {
    guard let forwarded else { return heads }
    return heads.replacingOccurrences(
      of: "\r\nHost:", with: "\r\nX-Forwarded-For: \(forwarded)\r\nHost:")
  }

  /// Sends no more bytes.
  func finishSending() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Sends a request and reads its response, or returns `nil` if the connection ends or times out.
  func exchange(
    _ method: String, _ target: String, fields: String = "", body: [UInt8]? = nil
  ) -> Response? {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)"
    if let body {
      head += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
    }
    // The daemon does not read the body of a request that it rejects at its head, so sending can
    // fail.
    let isSent = send(Array(addingAddress(head + "\r\n").utf8) + (body ?? []))
    let response = response()
    return isSent ? response : nil
  }

  /// Reads a response.
  func response() -> Response? {
    guard let head = take(through: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    guard let words = lines.first?.split(separator: " "), words.count > 1,
      let status = Int(words[1])
    else { return nil }
    tally?.addResponse(status)
    func field(_ name: String) -> String? {
      lines.first { $0.lowercased().hasPrefix(name + ":") }
        .map { $0.dropFirst(name.utf8.count + 1).drop { $0 == " " }.description }
    }
    if let length = field("content-length").flatMap({ Int($0) }) {
      guard let body = take(length) else { return nil }
      return Response(status: status, body: body)
    }
    guard field("transfer-encoding") == "chunked" else { return Response(status: status, body: []) }
    var body: [UInt8] = []
    while let line = take(through: [0x0D, 0x0A]) {
      let size = String(decoding: line.dropLast(2), as: UTF8.self)
      guard let count = Int(size, radix: 16), let chunk = take(count + 2) else { return nil }
      guard count > 0 else { return Response(status: status, body: body) }
      body += chunk.dropLast(2)
    }
    return nil
  }

  /// Reads the head of a response, whose body does not end; returns its status.
  func responseHead() -> Int? {
    guard let head = take(through: Array("\r\n\r\n".utf8)) else { return nil }
    let words = String(decoding: head.prefix(40), as: UTF8.self).split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else { return nil }
    tally?.addResponse(status)
    return status
  }

  /// Reads a stream until it has sent a text; returns `false` if it ends or times out before.
  ///
  /// The text must be in one chunk of the body.
  func receive(until text: [UInt8]) -> Bool {
    take(through: text) != nil
  }

  /// Configures the connection to close with a reset.
  func resetAtEnd() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// Reads and discards the bytes that are available without waiting, up to 64 KiB.
  func drain() {
    _ = receive(flags: Int32(MSG_DONTWAIT))
    received = []
  }

  private func take(_ count: Int) -> [UInt8]? {
    while received.count < count { guard receive(flags: 0) else { return nil } }
    defer { received.removeFirst(count) }
    return Array(received.prefix(count))
  }

  private func take(through end: [UInt8]) -> [UInt8]? {
    var searched = 0
    while true {
      if let index = received.indices.dropFirst(searched).first(where: {
        received[$0...].starts(with: end)
      }) {
        return take(index + end.count)
      }
      searched = max(0, received.count - end.count)
      guard receive(flags: 0) else { return nil }
    }
  }

  private func receive(flags: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, flags) }
    guard count > 0 else { return false }
    received += buffer.prefix(count)
    return true
  }
}
