internal import Glibc

/// A blocking client on a loopback socket that exposes the bytes.
///
/// Every read has a timeout, so that a missing response fails a test and does not hang it.
final class TestClient {
  private let descriptor: Int32
  private var received: [UInt8] = []
  private var position = 0

  /// Connects to a port of this machine.
  ///
  /// `receiveBuffer` limits the kernel's buffer, for clients that do not read; `source` is the last
  /// byte of the client's address in 127.0.0.0/8.
  convenience init(port: Int, receiveBuffer: Int32? = nil, source: UInt8 = 1) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var own = sockaddr_in()
    own.sin_family = sa_family_t(AF_INET)
    own.sin_addr.s_addr = (0x7F00_0000 | UInt32(source)).bigEndian
    try self.init(AF_INET, address, receiveBuffer, from: source == 1 ? nil : own)
  }

  /// Connects to a Unix-domain socket.
  convenience init(path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    try self.init(AF_UNIX, address, nil)
  }

  private init<Address>(
    _ family: Int32, _ address: Address, _ receiveBuffer: Int32?, from own: Address? = nil
  ) throws {
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var timeout = timeval(tv_sec: Int(TestServer.timeout), tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    if var receiveBuffer {
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    let isBound = own.map { Self.call(bind, descriptor, $0) } ?? true
    guard isBound, Self.call(connect, descriptor, address) else {
      throw TestFailure("cannot connect: errno \(errno)")
    }
  }

  private static func call<Address>(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32,
    _ address: Address
  ) -> Bool {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        function(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
  }

  deinit { close(descriptor) }

  /// Receives and acknowledges nothing from now on, as a machine that has lost its network.
  func vanish() throws {
    guard PacketFilter.drop(on: descriptor) else { throw TestFailure("no filter: errno \(errno)") }
  }

  /// Sends all bytes.
  func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends all bytes.
  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw TestFailure("cannot send: errno \(errno)") }
      sent += count
    }
  }

  /// Sends a request with a `Host` field.
  func request(
    _ method: String, _ target: String, headers: [String] = [], body: String? = nil
  ) throws {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: test\r\n"
    for header in headers { text += header + "\r\n" }
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    try send(text + "\r\n" + (body ?? ""))
  }

  /// Blocks until one of several clients has received something; returns its index.
  static func firstToReceive(of clients: [TestClient]) throws -> Int {
    var watched = clients.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    guard poll(&watched, nfds_t(watched.count), TestServer.timeout * 1000) > 0,
      let index = watched.firstIndex(where: { $0.revents != 0 })
    else { throw TestFailure("no client received anything") }
    return index
  }

  /// The number of bytes that the kernel has received and the client has not.
  var unreadBytes: Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Whether the server has closed the connection, and there are no more bytes to receive.
  var hasEnded: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
  }

  /// Sends text, and then a byte every millisecond.
  ///
  /// - Returns: Whether the server closes the connection.
  func isClosed(afterSending text: String) -> Bool {
    guard (try? send(text)) != nil else { return true }
    for _ in 0..<Int(TestServer.timeout) * 1000 {
      guard (try? send("x")) != nil else { return true }
      usleep(1000)
    }
    return false
  }

  /// Closes the sending direction.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Configures the connection to close with a reset.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  /// The bytes before the next occurrence of `mark`, which is consumed, too.
  func receive(until mark: String) throws -> String {
    let mark = Array(mark.utf8)
    while true {
      if let length = received[position...].firstIndex(of: mark) {
        defer { position += length + mark.count }
        return String(decoding: received[position..<(position + length)], as: UTF8.self)
      }
      guard try receiveMore() else {
        let rest = String(decoding: received[position...].suffix(500), as: UTF8.self)
        throw TestFailure("the connection ended before \(mark), after: \(rest)")
      }
    }
  }

  /// The next `count` bytes.
  func receive(count: Int) throws -> [UInt8] {
    while received.count - position < count {
      guard try receiveMore() else {
        throw TestFailure("the connection ended within \(count) bytes")
      }
    }
    defer { position += count }
    return Array(received[position..<(position + count)])
  }

  /// All bytes up to the end of the connection.
  func receiveToEnd() throws -> String {
    while try receiveMore() {}
    defer { position = received.count }
    return String(decoding: received[position...], as: UTF8.self)
  }

  /// One response with its `Content-Length` body; `headOnly` for responses to `HEAD`.
  func receiveResponse(headOnly: Bool = false) throws -> TestResponse {
    var response = TestResponse(head: try receive(until: "\r\n\r\n"))
    if !headOnly, let length = response["content-length"].flatMap({ Int($0) }) {
      response.body = String(decoding: try receive(count: length), as: UTF8.self)
    }
    return response
  }

  /// The payload of the next chunk, or `nil` for the last one.
  func receiveChunk() throws -> String? {
    let line = try receive(until: "\r\n")
    guard let size = Int(line, radix: 16) else { throw TestFailure("no chunk size: \(line)") }
    let payload = try receive(count: size)
    guard try receive(count: 2) == [13, 10] else { throw TestFailure("no end of chunk") }
    return size == 0 ? nil : String(decoding: payload, as: UTF8.self)
  }

  /// Receives bytes; false at the end of the connection.
  private func receiveMore() throws -> Bool {
    if position > 0 {
      received.removeFirst(position)
      position = 0
    }
    return try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { scratch in
      let count = recv(descriptor, scratch.baseAddress, scratch.count, 0)
      guard count >= 0 else { throw TestFailure("cannot receive: errno \(errno)") }
      received.append(contentsOf: scratch[..<count])
      return count > 0
    }
  }
}

extension ArraySlice<UInt8> {
  /// The number of bytes before `mark`.
  fileprivate func firstIndex(of mark: [UInt8]) -> Int? {
    guard count >= mark.count else { return nil }
    return withUnsafeBytes { bytes in
      (0...(bytes.count - mark.count)).first {
        bytes[$0] == mark[0] && bytes[$0...].starts(with: mark)
      }
    }
  }
}
