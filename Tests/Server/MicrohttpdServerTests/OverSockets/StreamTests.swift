internal import Glibc
internal import MicrohttpdServer
internal import ReactorTransport
internal import Synchronization
internal import Testing

extension OverSockets {
  @Suite(.onEitherThread) struct Streams {
    @Test func `a stream is sent chunk by chunk, in order`() throws {
      let stream = TestStream("one", "two", "three")
      let (server, client) = try open(stream)
      for text in ["one", "two", "three"] { #expect(try client.receiveChunk() == text) }
      for number in 1...100 { stream.publish("event \(number)") }
      for number in 1...100 { #expect(try client.receiveChunk() == "event \(number)") }
      #expect(server.server.statistics.streams == 1)
    }

    private static var quickHeartbeat: MicrohttpdServer.Settings {
      var settings = MicrohttpdServer.Settings()
      settings.heartbeat = .milliseconds(100)
      return settings
    }

    @Test(arguments: [false, true])
    func `a client that vanishes is removed, whether its stream is idle or not`(isBusy: Bool) throws
    {
      let stream = TestStream("one", heartbeat: ":")
      let (server, client) = try open(stream, settings: Self.quickHeartbeat)
      #expect(try client.receiveChunk() == "one")
      try client.vanish()
      for _ in 0..<30_000 where stream.closings == 0 {
        if isBusy { stream.publish("more") }
        usleep(10_000)
      }
      #expect(stream.closings == 1)
      withExtendedLifetime((server, client)) {}
    }

    @Test func `a client that does not read remains, longer than one that vanishes`() throws {
      let (stalled, vanishing) = (TestStream("one", heartbeat: ":"), TestStream(heartbeat: ":"))
      let server = try TestServer(
        settings: Self.quickHeartbeat,
        responder: TestResponder { request, reply in
          reply(.stream(request.path == "/stalled" ? stalled : vanishing))
        })
      let slow = try server.client(receiveBuffer: 4096)
      try slow.request("GET", "/stalled")
      _ = try slow.receiveResponse()
      let block = String(repeating: "x", count: 65_536)
      for _ in 0..<64 { stalled.publish(block) }
      let gone = try server.client()
      try gone.request("GET", "/vanishing")
      _ = try gone.receiveResponse()
      try gone.vanish()
      #expect(vanishing.isClosed.wait())
      #expect(stalled.closings == 0)
      for payload in ["one"] + Array(repeating: block, count: 64) {
        var chunk = try slow.receiveChunk()
        // The stream can be silent before the socket is full.
        while chunk == ":" { chunk = try slow.receiveChunk() }
        #expect(chunk == payload)
      }
      withExtendedLifetime((server, gone)) {}
    }

    @Test func `a client that does not read loses its stream after the time limit`() throws {
      let stream = TestStream("one")
      let (server, client) = try open(
        stream, settings: .init(timeouts: .init(stall: .milliseconds(100))), receiveBuffer: 4096)
      let block = String(repeating: "x", count: 65_536)
      for _ in 0..<150 { stream.publish(block) }
      #expect(stream.isClosed.wait())
      #expect(server.server.statistics.overdue == 1)
      withExtendedLifetime(client) {}
    }

    @Test func `the head has the stream's status and fields`() throws {
      let server = try TestServer(
        responder: TestResponder { _, reply in reply(.stream(TestStream("a"))) })
      let client = try server.client()
      try client.request("GET", "/")
      let head = try client.receiveResponse()
      #expect(head.status == 200)
      #expect(head["content-type"] == "text/event-stream")
      #expect(head["transfer-encoding"] == "chunked")
      #expect(head["content-length"] == nil)
      #expect(head["date"]?.hasSuffix("GMT") == true)
    }

    @Test func `a stream that finishes ends with the last chunk and a close`() throws {
      let stream = TestStream("one")
      let (server, client) = try open(stream)
      #expect(try client.receiveChunk() == "one")
      stream.append(["two"])
      stream.finish()
      stream.group.wake()
      #expect(try client.receiveChunk() == "two")
      #expect(try client.receiveChunk() == nil)
      #expect(try client.receiveToEnd() == "")
      #expect(stream.isClosed.wait())
      #expect(stream.closings == 1)
      withExtendedLifetime(server) {}
    }

    @Test func `an HTTP/1.0 client gets the payload without chunks`() throws {
      let stream = TestStream("one,", "two")
      stream.finish()
      let server = try TestServer(
        responder: TestResponder { _, reply in reply(.stream(stream)) })
      let client = try server.client()
      try client.send("GET / HTTP/1.0\r\n\r\n")
      let head = try client.receiveResponse()
      #expect(head["transfer-encoding"] == nil)
      #expect(try client.receiveToEnd() == "one,two")
    }

    @Test func `HEAD gets the head of a stream and never opens it`() throws {
      let stream = TestStream("one")
      let server = try TestServer(
        responder: TestResponder { _, reply in reply(.stream(stream)) })
      let client = try server.client()
      try client.request("HEAD", "/")
      #expect(try client.receiveResponse().status == 200)
      #expect(try client.receiveToEnd() == "")
      #expect(stream.closings == 1)
    }

    @Test func `a stream opens although its response comes later`() throws {
      let stream = TestStream("one")
      let server = try TestServer(
        responder: TestResponder { _, reply in TestThread { reply(.stream(stream)) }.detach() })
      let client = try server.client()
      try client.request("GET", "/")
      _ = try client.receiveResponse()
      #expect(try client.receiveChunk() == "one")
    }

    @Test func `a stream may follow other requests on its connection`() throws {
      let server = try TestServer(
        responder: TestResponder { request, reply in
          reply(request.path == "/events" ? .stream(TestStream("one")) : .text("ok"))
        })
      let client = try server.client()
      for _ in 1...3 {
        try client.request("POST", "/", body: "{}")
        #expect(try client.receiveResponse().body == "ok")
      }
      try client.request("GET", "/events")
      _ = try client.receiveResponse()
      #expect(try client.receiveChunk() == "one")
    }

    @Test func `a client that leaves closes its stream once and leaves no resources behind`() throws
    {
      for resets in [false, true] {
        let stream = TestStream("one")
        var (server, client): (TestServer, TestClient?) = try open(stream)
        #expect(try client?.receiveChunk() == "one")
        if resets { client?.reset() }
        client = nil
        #expect(stream.isClosed.wait())
        #expect(server.becomesIdle())
        stream.publish("too late")
        #expect(stream.closings == 1)
      }
    }

    @Test func `a client that does not read holds one chunk, and later gets the latest`()
      throws
    {
      let size = 1 << 16
      let asked = Mutex(0)
      let stream = TestStream(onNext: { asked.withLock { $0 += 1 } })
      let (server, client) = try open(stream, receiveBuffer: 4096)
      let payloads = (0..<150).map { String($0) + String(repeating: "x", count: size) }
      for payload in payloads { stream.publish(payload) }
      // Another stream of the same loop is served while the first one is full.
      let other = TestStream("other")
      let (otherServer, otherClient) = try open(other)
      #expect(try otherClient.receiveChunk() == "other")
      #expect(asked.withLock { $0 } < payloads.count)
      for payload in payloads { #expect(try client.receiveChunk() == payload) }
      withExtendedLifetime((server, otherServer)) {}
    }

    @Test func `a wake polls the streams of a group in the order in which they opened`() throws {
      let group = StreamGroup()
      let order = Mutex<[Int]>([])
      let streams = (0..<20).map { number in
        TestStream("first", groups: [group], onNext: { order.withLock { $0.append(number) } })
      }
      let next = Atomic<Int>(0)
      let server = try TestServer(
        responder: TestResponder { _, reply in
          reply(.stream(streams[next.wrappingAdd(1, ordering: .relaxed).oldValue]))
        })
      var clients = try streams.map { _ in
        let client = try server.client()
        try client.request("GET", "/")
        _ = try client.receiveResponse()
        #expect(try client.receiveChunk() == "first")
        return client
      }
      // A stream that closes in the middle does not change the order of the others.
      clients.remove(at: 7)
      #expect(streams[7].isClosed.wait())
      order.withLock { $0 = [] }
      for stream in streams { stream.append(["second"]) }
      group.wake()
      for client in clients { #expect(try client.receiveChunk() == "second") }
      var firsts: [Int] = []
      for number in order.withLock({ $0 }) where !firsts.contains(number) { firsts.append(number) }
      #expect(firsts == (0..<20).filter { $0 != 7 })
    }

    @Test func `an event that a request causes is sent before the next request, on the one thread`()
      throws
    {
      let (began, mayEnd) = (Signal(), Signal())
      let isHeld = Atomic<Bool>(false)
      let stream = TestStream("first")
      // A test that fails must not leave the thread blocked, for which the server waits.
      defer { for _ in 1...100 { mayEnd.send() } }
      // Requests to `/hold` block the thread; of two requests to `/pair`, the first one publishes an
      // event, and the second one blocks the thread.
      let server = try TestServer(
        settings: .init(loops: 0),
        responder: TestResponder { request, reply in
          if request.path == "/" { return reply(.stream(stream)) }
          if request.path == "/pair", !isHeld.exchange(true, ordering: .relaxed) {
            stream.publish("news")
            return reply(.text("published"))
          }
          began.send()
          _ = mayEnd.wait()
          reply(.text("held"))
        })
      let watching = try server.client()
      try watching.request("GET", "/")
      _ = try watching.receiveResponse()
      #expect(try watching.receiveChunk() == "first")
      let (holding, pair) = (try server.client(), try [server.client(), server.client()])
      for _ in 1...20 {
        isHeld.store(false, ordering: .relaxed)
        // Both requests arrive while the thread is blocked, so that it handles them in one turn.
        try holding.request("POST", "/hold", body: "")
        #expect(began.wait())
        for client in pair { try client.request("POST", "/pair", body: "") }
        // A stream that was written to in the current millisecond is written to again only at the
        // end of the turn.
        usleep(2_000)
        mayEnd.send()
        #expect(began.wait())
        #expect(try watching.receiveChunk() == "news")
        mayEnd.send()
        #expect(try holding.receiveResponse().body == "held")
        let bodies = try pair.map { try $0.receiveResponse().body }
        #expect(bodies.sorted() == ["held", "published"])
      }
    }

    @Test func `events while a stream opens are not lost`() throws {
      for _ in 1...50 {
        let stream = TestStream()
        let server = try TestServer(
          responder: TestResponder { _, reply in
            reply(.stream(stream))
            stream.publish("news")
          })
        let client = try server.client()
        try client.request("GET", "/")
        _ = try client.receiveResponse()
        #expect(try client.receiveChunk() == "news")
      }
    }

    @Test func `a silent stream gets heartbeats`() throws {
      let stream = TestStream("one", heartbeat: ":\n\n")
      let (server, client) = try open(
        stream, settings: .init(heartbeat: .milliseconds(20)))
      #expect(try client.receiveChunk() == "one")
      for _ in 1...3 { #expect(try client.receiveChunk() == ":\n\n") }
      withExtendedLifetime(server) {}
    }

    @Test func `input on a stream is dropped, and too much of it closes the connection`() throws {
      let stream = TestStream("one")
      let (server, client) = try open(stream)
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try client.receiveChunk() == "one")
      stream.publish("two")
      #expect(try client.receiveChunk() == "two")
      try? client.send([UInt8](repeating: 97, count: 1 << 20))
      #expect(stream.isClosed.wait())
      withExtendedLifetime(server) {}
    }

    @Test func `streams above the limit are rejected with a response`() throws {
      let server = try TestServer(
        settings: .init(limits: .init(streams: 1)),
        responder: TestResponder { _, reply in reply(.stream(TestStream("one"))) })
      let first = try server.client()
      try first.request("GET", "/")
      _ = try first.receiveResponse()
      #expect(try first.receiveChunk() == "one")
      let second = try server.client()
      try second.request("GET", "/")
      let response = try second.receiveResponse()
      #expect(response.status == 503)
      #expect(response.body == "streams over 1")
    }

    @Test(arguments: [1, 3])
    func `five hundred streams open and close`(loops: Int) throws {
      let group = StreamGroup()
      let server = try TestServer(
        settings: .init(loops: loops),
        responder: TestResponder { _, reply in
          reply(.stream(TestStream("hello", groups: [group])))
        })
      for resets in [false, true, false] {
        var clients = try (0..<500).map { _ in try server.client() }
        for client in clients { try client.request("GET", "/") }
        for client in clients {
          _ = try client.receiveResponse()
          #expect(try client.receiveChunk() == "hello")
        }
        #expect(server.server.statistics.streams == 500)
        if resets { for client in clients { client.reset() } }
        clients = []
        #expect(server.becomesIdle())
      }
    }

    @Test func `streams that open and close at once leave no resources behind`()
      throws
    {
      let group = StreamGroup()
      let server = try TestServer(
        responder: TestResponder { request, reply in
          group.wake()
          reply(
            request.method == "POST" ? .text("ok") : .stream(TestStream("a", groups: [group])))
        })
      let threads = (0..<4).map { _ in
        TestThread {
          for _ in 1...100 {
            guard let client = try? server.client() else { return }
            try? client.request("POST", "/", body: "{}")
            _ = try? client.receiveResponse()
            try? client.request("GET", "/")
          }
        }
      }
      for thread in threads { thread.join() }
      #expect(server.becomesIdle())
    }

    /// Opens a stream on a new server and reads the head of the response.
    private func open(
      _ stream: TestStream, settings: MicrohttpdServer.Settings = .init(),
      receiveBuffer: Int32? = nil
    ) throws -> (TestServer, TestClient) {
      let server = try TestServer(
        settings: settings, responder: TestResponder { _, reply in reply(.stream(stream)) })
      let client = try server.client(receiveBuffer: receiveBuffer)
      try client.request("GET", "/")
      _ = try client.receiveResponse()
      return (server, client)
    }
  }
}
