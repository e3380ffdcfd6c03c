internal import Glibc
internal import MicrohttpdServer
internal import ReactorTransport
internal import TestSupport
internal import Testing

/// A server on a free port for one test.
///
/// The port is reserved for as long as this object exists: after the stop of the server, the kernel
/// assigns it to no socket of another test.
final class TestServer: Sendable {
  /// The time limit of waits for events that must occur, in seconds.
  ///
  /// It only ends tests that would hang.
  static let timeout: Int32 = 300

  let server: MicrohttpdServer
  let port: Int
  private let reservation: Int32

  /// Starts a server with the default settings, except for its time limits.
  ///
  /// On a busy machine, a client can exceed the default time limits. A test of a time limit sets it.
  init(
    settings: MicrohttpdServer.Settings = .init(), responder: TestResponder = .echo
  ) throws {
    var settings = settings
    let (reservation, port) = try LoopbackSocket.reserved()
    self.reservation = reservation
    self.port = Int(port)
    settings.endpoints = [.network(host: "127.0.0.1", port: self.port)]
    if settings.loops == 1 { settings.loops = OnEitherThread.loops }
    let defaults = MicrohttpdServer.Settings()
    let limits: [WritableKeyPath<MicrohttpdServer.Settings, Duration>] = [
      \.timeouts.head, \.timeouts.body, \.timeouts.idle,
    ]
    for limit in limits where settings[keyPath: limit] == defaults[keyPath: limit] {
      settings[keyPath: limit] = .zero
    }
    if settings.linger == defaults.linger { settings.linger = .seconds(Self.timeout) }
    server = MicrohttpdServer(settings: settings, responder: responder)
    try server.start()
  }

  deinit {
    server.stop(within: .seconds(5))
    close(reservation)
  }

  func client(receiveBuffer: Int32? = nil, source: UInt8 = 1) throws -> TestClient {
    try TestClient(port: port, receiveBuffer: receiveBuffer, source: source)
  }

  /// A connection whose first request was served.
  ///
  /// On a busy machine, a short timeout can close a connection before its request arrives.
  func servedClient() throws -> TestClient {
    for _ in 0..<1000 {
      let client = try client()
      try? client.request("GET", "/served")
      if (try? client.receiveResponse())?.status == 200 { return client }
    }
    throw TestFailure("no request was served")
  }

  /// The number of this process' descriptors that are sockets of this server, including the listening one.
  ///
  /// Unlike the number of all descriptors, it is not affected by other tests: not even by a socket with
  /// the same port that is bound to another address, or of another protocol.
  var descriptors: Int { sockets.count }

  /// The TCP sockets on the address of this server, with their clients' ports and their states in the kernel
  /// (10 listens, 7 is closed); without the one that reserves the port.
  ///
  /// The socket of a former connection of another test keeps its own port as a name after the kernel has
  /// assigned the port to this server. Unlike the sockets that the server accepts, that socket has no
  /// `SO_REUSEADDR`, which a listening socket passes on.
  var sockets: [(descriptor: Int32, client: UInt16?, state: UInt8)] {
    (0..<Int32(4096)).compactMap { descriptor in
      guard let own = Self.address(descriptor, getsockname), Int(own.port) == port,
        own.isLoopback, descriptor != reservation, Self.isTCP(descriptor),
        Self.reusesAddress(descriptor)
      else { return nil }
      return (descriptor, Self.address(descriptor, getpeername)?.port, Self.state(descriptor))
    }
  }

  private static func address(
    _ descriptor: Int32,
    _ read: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
  ) -> (port: UInt16, isLoopback: Bool)? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { read(descriptor, $0, &size) }
    }
    guard result == 0, Int32(address.sin_family) == AF_INET else { return nil }
    return (
      UInt16(bigEndian: address.sin_port), address.sin_addr.s_addr == UInt32(0x7f00_0001).bigEndian
    )
  }

  /// The first byte of `struct tcp_info`.
  private static func state(_ descriptor: Int32) -> UInt8 {
    var state: UInt8 = 0
    var size = socklen_t(1)
    getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &state, &size)
    return state
  }

  private static func isTCP(_ descriptor: Int32) -> Bool {
    var kind: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0
      && kind == Int32(SOCK_STREAM.rawValue)
  }

  private static func reusesAddress(_ descriptor: Int32) -> Bool {
    var reuse: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, &size) == 0 && reuse != 0
  }

  /// Waits until only the listening socket is left: connections close on other threads.
  ///
  /// Returns `false` after 200,000 checks.
  func becomesIdle() -> Bool {
    for _ in 0..<200_000 {
      let now = server.statistics
      if now.connections + now.requestsInFlight + now.streams == 0, descriptors == 1 {
        return true
      }
      usleep(500)
    }
    Issue.record("open: \(sockets), and \(server.statistics)")
    return false
  }
}
