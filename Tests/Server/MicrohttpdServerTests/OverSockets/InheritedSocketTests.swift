internal import Glibc
internal import MicrohttpdServer
internal import Testing

extension OverSockets {
  /// Sockets that another process has created and retains, as a service manager does.
  @Suite struct InheritedSockets {
    /// A listening socket on a free port, and its port.
    private func listeningSocket() throws -> (descriptor: Int32, port: Int) {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var size = socklen_t(MemoryLayout<sockaddr_in>.size)
      let failed = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, size) + listen(descriptor, 16) + getsockname(descriptor, $0, &size)
        }
      }
      guard failed == 0 else { throw TestFailure("cannot listen: errno \(errno)") }
      return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    private func server(on descriptor: Int32, saying text: String) throws -> MicrohttpdServer {
      let server = MicrohttpdServer(
        settings: .init(endpoints: [.inherited(descriptor: dup(descriptor))]),
        responder: TestResponder { _, reply in reply(.text(text)) })
      try server.start()
      return server
    }

    private func reply(_ port: Int) throws -> String {
      let client = try TestClient(port: port)
      try client.request("GET", "/")
      return try client.receiveResponse().body
    }

    @Test func `an inherited socket is served`() throws {
      let (descriptor, port) = try listeningSocket()
      defer { close(descriptor) }
      let server = try server(on: descriptor, saying: "one")
      #expect(server.endpoints == [.network(host: "127.0.0.1", port: port)])
      #expect(try reply(port) == "one")
      server.stop(within: .seconds(5))
    }

    @Test func `connections during a stop are served by the successor`() throws {
      let (descriptor, port) = try listeningSocket()
      defer { close(descriptor) }
      let first = try server(on: descriptor, saying: "first")
      let kept = try TestClient(port: port)
      try kept.request("GET", "/")
      #expect(try kept.receiveResponse()["connection"] != "close")
      first.beginToStop()
      // The open connection is still served; `Connection: close` in its response shows that the
      // stop has begun.
      try kept.request("GET", "/")
      #expect(try kept.receiveResponse()["connection"] == "close")

      let waiting = try TestClient(port: port)
      try waiting.request("GET", "/")
      first.stop(within: .seconds(5))
      let second = try server(on: descriptor, saying: "second")
      #expect(try waiting.receiveResponse().body == "second")
      second.stop(within: .seconds(5))
    }

    @Test func `several sockets are served at once`() throws {
      let (one, firstPort) = try listeningSocket()
      let (other, secondPort) = try listeningSocket()
      defer {
        close(one)
        close(other)
      }
      let server = MicrohttpdServer(
        settings: .init(
          endpoints: [
            .inherited(descriptor: dup(one)), .inherited(descriptor: dup(other)),
            .network(host: "127.0.0.1", port: 0),
          ], workers: 2), responder: TestResponder { _, reply in reply(.text("here")) })
      try server.start()
      let ports = server.endpoints.compactMap { endpoint in
        if case .network(_, let port) = endpoint { port } else { nil }
      }
      #expect(ports.prefix(2) == [firstPort, secondPort])
      for port in ports { #expect(try reply(port) == "here") }
      server.stop(within: .seconds(5))
    }

    @Test func `a descriptor that does not listen is rejected`() {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(descriptor) }
      let server = MicrohttpdServer(
        settings: .init(endpoints: [.inherited(descriptor: descriptor)]),
        responder: TestResponder.echo)
      let error = #expect(throws: ServerError.self) { try server.start() }
      #expect(error?.code == .badAddress)
    }
  }
}
