internal import Glibc

extension HealthProbe {
  /// Why a daemon counts as not healthy.
  struct Failure: Error, Equatable {
    let reason: String
  }

  /// Asks, and returns when the answer was 200.
  ///
  /// It blocks: for the time of each system call at most `patience` seconds.
  func run(patience: Int = 3) throws(Failure) {
    let socket = try connect(patience: patience)
    defer { close(socket) }
    try send(request, to: socket)
    guard let status = Self.status(of: try head(from: socket)) else {
      throw Failure(reason: "\(address) did not answer in HTTP")
    }
    guard status == 200 else { throw Failure(reason: "\(address)\(path) answered \(status)") }
  }

  private func connect(patience: Int) throws(Failure) -> Int32 {
    switch address {
    case .network(let host, let port): try connect(host, port, patience)
    case .unix(let path): try connect(path, patience)
    }
  }

  private func connect(_ path: String, _ patience: Int) throws(Failure) -> Int32 {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    // The address was read as one, so that the path fits.
    withUnsafeMutableBytes(of: &name.sun_path) {
      $0.copyBytes(from: path.utf8.prefix($0.count - 1))
    }
    let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    Self.limit(socket, patience)
    let status = withUnsafePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else {
      close(socket)
      throw Failure(reason: "\(address) does not accept connections")
    }
    return socket
  }

  private static func limit(_ socket: Int32, _ patience: Int) {
    var timeout = timeval(tv_sec: patience, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(socket, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  private func connect(
    _ host: String, _ port: UInt16, _ patience: Int
  ) throws(Failure) -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, "\(port)", &hints, &list)
    guard code == 0 else {
      let reason = gai_strerror(code).map { String(cString: $0) } ?? "error \(code)"
      throw Failure(reason: "\(host): \(reason)")
    }
    defer { freeaddrinfo(list) }
    var candidate = list
    while let information = candidate?.pointee {
      candidate = information.ai_next
      let socket = socket(
        information.ai_family, information.ai_socktype | Int32(SOCK_CLOEXEC.rawValue),
        information.ai_protocol)
      guard socket >= 0 else { continue }
      Self.limit(socket, patience)
      if Glibc.connect(socket, information.ai_addr, information.ai_addrlen) == 0 { return socket }
      close(socket)
    }
    throw Failure(reason: "\(address) does not accept connections")
  }

  private func send(_ bytes: [UInt8], to socket: Int32) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(reason: "\(address) does not take a request") }
      rest = rest.dropFirst(count)
    }
  }

  // The status line is all that is wanted: some hundred bytes hold it, or it is none.
  private func head(from socket: Int32) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 256)
    while bytes.count < 1_024, !bytes.contains(0x0A) {
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count >= 0 else { throw Failure(reason: "\(address) does not answer") }
      if count == 0 { break }
      bytes.append(contentsOf: buffer.prefix(count))
    }
    return bytes
  }
}
