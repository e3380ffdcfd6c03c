internal import Glibc
internal import MicrohttpdServer
internal import ReactorTransport
internal import Testing

/// A server on a free port for one test.
final class TestServer: Sendable {
  let server: MicrohttpdServer
  let port: Int

  init(
    settings: MicrohttpdServer.Settings = .init(), responder: TestResponder = .echo
  ) throws {
    var settings = settings
    settings.endpoints = [.network(host: "127.0.0.1", port: 0)]
    if settings.loops == 1 { settings.loops = OnEitherThread.loops }
    server = MicrohttpdServer(settings: settings, responder: responder)
    try server.start()
    guard let port = server.port else { throw TestFailure("no port") }
    self.port = port
  }

  deinit { server.stop(within: .seconds(5)) }

  func client(receiveBuffer: Int32? = nil) throws -> TestClient {
    try TestClient(port: port, receiveBuffer: receiveBuffer)
  }

  /// The number of this process' descriptors that are sockets of this server, including the listening one.
  ///
  /// Unlike the number of all descriptors, it is not affected by other tests.
  var descriptors: Int {
    (0..<Int32(4096)).count { descriptor in
      var address = sockaddr_in6()
      var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
      let isSocket = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(descriptor, $0, &size) == 0
        }
      }
      let family = Int32(address.sin6_family)
      return isSocket && (family == AF_INET || family == AF_INET6)
        && Int(UInt16(bigEndian: address.sin6_port)) == port
    }
  }

  /// Blocks until only the listening socket is left, because connections close on other threads.
  ///
  /// False after the timeout.
  func becomesIdle() -> Bool {
    for _ in 0..<20_000 {
      let now = server.statistics
      if now.connections + now.requestsInFlight + now.streams == 0, descriptors == 1 {
        return true
      }
      usleep(500)
    }
    Issue.record("\(descriptors) descriptors are open, and \(server.statistics)")
    return false
  }
}
