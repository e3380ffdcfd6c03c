internal import Glibc
internal import Glibc
internal import MicrohttpdServer
internal import Synchronization
internal import SystemThreads
internal import TestSupport
internal import Testing

extension OverSockets {
  @Suite struct Listening {
    @Test(arguments: ["127.0.0.1", "localhost", "0.0.0.0", "[::]", "::1"])
    func `a server listens on each form of a host`(host: String) throws {
      let server = MicrohttpdServer(
        settings: .init(endpoints: [.network(host: host, port: 0)]), responder: TestResponder.echo)
      do {
        try server.start()
      } catch {
        // A machine without IPv6 reports that, which is no failure.
        #expect(error.code == .cannotBind || error.code == .noResources)
        #expect(host.contains(":"))
        return
      }
      let port = try #require(server.port)
      #expect(port > 0)
      if host != "::1" {
        let client = try TestClient(port: port)
        try client.request("GET", "/")
        #expect(try client.receiveResponse().status == 200)
      }
      server.stop(within: .seconds(5))
    }

    @Test func `an address in use has an error code of its own`() throws {
      let first = try TestServer()
      let second = MicrohttpdServer(
        settings: .init(endpoints: [.network(host: "127.0.0.1", port: first.port)]),
        responder: TestResponder.echo)
      let error = #expect(throws: ServerError.self) { try second.start() }
      #expect(error?.code == .addressInUse)
      #expect(error?.message == "The address 127.0.0.1:\(first.port) is already in use.")
    }

    @Test(arguments: ["example.com", "1.2.3", "", "127.0.0.1 "])
    func `a host that is no address is rejected`(host: String) {
      let server = MicrohttpdServer(
        settings: .init(endpoints: [.network(host: host, port: 0)]), responder: TestResponder.echo)
      let error = #expect(throws: ServerError.self) { try server.start() }
      #expect(error?.code == .badAddress)
    }

    @Test(arguments: [-1, 65_536])
    func `an invalid port is rejected`(port: Int) {
      let server = MicrohttpdServer(
        settings: .init(endpoints: [.network(host: "127.0.0.1", port: port)]),
        responder: TestResponder.echo)
      let error = #expect(throws: ServerError.self) { try server.start() }
      #expect(error?.code == .badAddress)
    }

    @Test func `an address that this machine does not have is an error`() {
      let server = MicrohttpdServer(
        settings: .init(endpoints: [.network(host: "192.0.2.1", port: 0)]),
        responder: TestResponder.echo)
      let error = #expect(throws: ServerError.self) { try server.start() }
      #expect(error?.code == .cannotBind)
    }

    @Test func `each thread of a running server calls a function, and idle ones wake for it`()
      throws
    {
      let test = try TestServer(settings: .init(workers: 2))
      let threads = test.server.threads
      #expect(
        threads.map(\.name).filter { $0.hasPrefix("requests") } == ["requests 1", "requests 2"])
      #expect(threads.map(\.name).contains("streams 1"))
      for _ in 1...3 {
        let called = Mutex<Set<pthread_t>>([])
        let done = Semaphore()
        for thread in threads {
          thread.call {
            called.withLock { _ = $0.insert(pthread_self()) }
            done.signal()
          }
        }
        for _ in threads { done.wait() }
        // On one core, the first request thread serves streams.
        #expect(called.withLock(\.count) == (OnEitherThread.loops == 0 ? 2 : 3))
      }
      test.server.stop(within: .zero)
      #expect(test.server.threads.isEmpty)
    }

    @Test func `a port is free again after a stop`() throws {
      // This socket does not listen. While it exists, the kernel assigns the port to no other test.
      let (reservation, reserved) = try LoopbackSocket.reserved()
      defer { close(reservation) }
      let port = Int(reserved)
      for _ in 1...2 {
        let server = MicrohttpdServer(
          settings: .init(endpoints: [.network(host: "127.0.0.1", port: port)]),
          responder: TestResponder.echo)
        try server.start()
        #expect(server.port == port)
        let client = try TestClient(port: port)
        try client.request("GET", "/")
        #expect(try client.receiveResponse().status == 200)
        server.stop(within: .seconds(5))
      }
    }
  }
}
