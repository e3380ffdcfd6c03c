internal import Glibc
internal import MicrohttpdServer
internal import ReactorTransport
internal import Testing

extension OverSockets {
  @Suite struct UnixSockets {
    let folder: TestFolder
    var path: String { "\(folder.path)/socket" }

    init() throws { folder = try TestFolder() }

    private func server() -> MicrohttpdServer {
      MicrohttpdServer(
        settings: .init(endpoints: [.unix(path: path, mode: 0o620)]),
        responder: TestResponder { request, reply in
          reply(.text("\(request.path) \(request.peer == nil)"))
        })
    }

    private func expectService() throws {
      let client = try TestClient(path: path)
      for number in 1...3 {
        try client.request("GET", "/\(number)")
        #expect(try client.receiveResponse().body == "/\(number) true")
      }
    }

    @Test func `a Unix-domain socket is served, with the requested permissions`()
      throws
    {
      let server = server()
      try server.start()
      #expect(server.endpoints == [.unix(path: path, mode: 0o620)])
      #expect(server.port == nil)
      #expect(TestFolder.mode(of: path) == S_IFSOCK | 0o620)
      try expectService()
      server.stop(within: .seconds(5))
      #expect(TestFolder.mode(of: path) == nil)
    }

    @Test func `streams are served over a Unix-domain socket`() throws {
      let stream = TestStream("one")
      let server = MicrohttpdServer(
        settings: .init(endpoints: [.unix(path: path, mode: 0o600)]),
        responder: TestResponder { _, reply in reply(.stream(stream)) })
      try server.start()
      let client = try TestClient(path: path)
      try client.request("GET", "/")
      _ = try client.receiveResponse()
      #expect(try client.receiveChunk() == "one")
      stream.publish("two")
      #expect(try client.receiveChunk() == "two")
      server.stop(within: .seconds(5))
      #expect(try client.receiveChunk() == nil)
    }

    @Test func `the socket file of a crashed process is replaced`() throws {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      let bound = withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(bound == 0)
      close(stale)
      #expect(TestFolder.mode(of: path) != nil)
      let server = server()
      try server.start()
      try expectService()
      server.stop(within: .seconds(5))
    }

    @Test func `a socket in use is not replaced`() throws {
      let first = server()
      try first.start()
      let error = #expect(throws: ServerError.self) { try server().start() }
      #expect(error?.code == .addressInUse)
      #expect(error?.message == "The address unix:\(path) is already in use.")
      try expectService()
      first.stop(within: .seconds(5))
    }

    @Test func `a file that is not a socket is not touched`() throws {
      let file = open(path, O_CREAT | O_WRONLY, 0o600)
      close(file)
      let error = #expect(throws: ServerError.self) { try server().start() }
      #expect(error?.code == .cannotBind)
      #expect(TestFolder.mode(of: path) == S_IFREG | 0o600)
    }

    @Test func `a file that has replaced ours is not removed`() throws {
      let server = server()
      try server.start()
      rename(path, "\(folder.path)/other")
      let file = open(path, O_CREAT | O_WRONLY, 0o600)
      close(file)
      server.stop(within: .seconds(5))
      #expect(TestFolder.mode(of: path) == S_IFREG | 0o600)
    }

    @Test(arguments: ["", String(repeating: "x", count: 108)])
    func `an invalid path is rejected`(path: String) {
      let server = MicrohttpdServer(
        settings: .init(endpoints: [.unix(path: path, mode: 0o600)]),
        responder: TestResponder.echo)
      let error = #expect(throws: ServerError.self) { try server.start() }
      #expect(error?.code == .badAddress)
    }

    @Test func `a missing folder is an error`() {
      let server = MicrohttpdServer(
        settings: .init(endpoints: [.unix(path: "\(path)/a/b", mode: 0o600)]),
        responder: TestResponder.echo)
      let error = #expect(throws: ServerError.self) { try server.start() }
      #expect(error?.code == .cannotBind)
    }
  }
}
