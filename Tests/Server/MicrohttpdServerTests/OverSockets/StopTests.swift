internal import Glibc
internal import MicrohttpdServer
internal import ReactorTransport
internal import Synchronization
internal import TestSupport
internal import Testing

extension OverSockets {
  @Suite(.onEitherThread) struct Stopping {
    @Test func `streams that finish get their last chunk before the server stops`() throws {
      let group = StreamGroup()
      let streams = Mutex<[TestStream]>([])
      let server = try TestServer(
        responder: TestResponder { _, reply in
          let stream = TestStream("one", groups: [group])
          streams.withLock { $0.append(stream) }
          reply(.stream(stream))
        })
      let clients = try (0..<10).map { _ in
        let client = try server.client()
        try client.request("GET", "/")
        _ = try client.receiveResponse()
        #expect(try client.receiveChunk() == "one")
        return client
      }
      for stream in streams.withLock({ $0 }) {
        stream.append(["bye"])
        stream.finish()
      }
      #expect(server.server.finishStreams(within: .seconds(300)))
      #expect(server.server.statistics.streams == 0)
      for client in clients {
        #expect(try client.receiveChunk() == "bye")
        #expect(try client.receiveChunk() == nil)
        #expect(try client.receiveToEnd() == "")
      }
    }

    @Test func `a stream that does not finish is ended by the stop`() throws {
      let stream = TestStream("one")
      let server = try TestServer(
        responder: TestResponder { _, reply in reply(.stream(stream)) })
      let client = try server.client()
      try client.request("GET", "/")
      _ = try client.receiveResponse()
      #expect(try client.receiveChunk() == "one")
      #expect(!server.server.finishStreams(within: .milliseconds(50)))
      server.server.stop(within: .zero)
      #expect(try client.receiveChunk() == nil)
      #expect(try client.receiveToEnd() == "")
      #expect(stream.closings == 1)
    }

    @Test func `requests in flight complete, and their connections close`() throws {
      let replies = PendingReplies()
      let server = try TestServer(
        responder: TestResponder { _, reply in replies.add(reply) })
      let client = try server.client()
      try client.request("GET", "/")
      let reply = try #require(replies.next())
      let stopped = Signal()
      let thread = TestThread {
        server.server.stop(within: .seconds(300))
        stopped.send()
      }
      reply(.text("done"))
      let response = try client.receiveResponse()
      #expect(response.body == "done")
      #expect(try client.receiveToEnd() == "")
      #expect(stopped.wait())
      thread.join()
    }

    @Test(arguments: [1, 2])
    func `a stop with suspended requests and streams ends in time`(workers: Int) throws {
      let replies = PendingReplies()
      let stream = TestStream("one")
      let server = try TestServer(
        settings: .init(workers: workers),
        responder: TestResponder { request, reply in
          if request.path == "/events" { reply(.stream(stream)) } else { replies.add(reply) }
        })
      let waiting = try (0..<20).map { _ in
        let client = try server.client()
        try client.request("GET", "/")
        return client
      }
      let kept = try waiting.map { _ in try #require(replies.next()) }
      let watching = try server.client()
      try watching.request("GET", "/events")
      _ = try watching.receiveResponse()
      server.server.stop(within: .milliseconds(200))
      #expect(server.descriptors == 0)
      #expect(stream.closings == 1)
      for client in waiting {
        let text = try client.receiveToEnd()
        #expect(text.isEmpty || text.hasPrefix("HTTP/1.1 503 "))
      }
      // Late replies have no effect: the connections are already closed.
      for reply in kept { reply(.text("late")) }
      let late = TestStream()
      kept.first?(.stream(late))
      #expect(late.closings == 1)
    }

    @Test func `a stop under load neither hangs nor traps`() throws {
      for _ in 1...10 {
        let server = try TestServer(
          settings: .init(workers: 2),
          responder: TestResponder { request, reply in
            if request.path == "/later" {
              TestThread { reply(.text("later")) }.detach()
            } else if request.path == "/events" {
              reply(.stream(TestStream("one")))
            } else {
              reply(.text("now"))
            }
          })
        let begun = Signal()
        let threads = ["/now", "/later", "/events"].map { path in
          TestThread {
            guard let client = try? server.client() else { return }
            while (try? client.request("GET", path)) != nil,
              (try? client.receiveResponse()) != nil
            { begun.send() }
          }
        }
        for _ in 1...3 { #expect(begun.wait()) }
        server.server.stop(within: .seconds(5))
        for thread in threads { thread.join() }
        let sockets = server.sockets
        // Name what is left: a socket that another thread closes now, or one that is lost.
        #expect(eventually { server.sockets.isEmpty }, "\(sockets), listening: \(server.port)")
      }
    }

    @Test func `no other socket gets the port of a stopped server, whose sockets are counted`()
      throws
    {
      let server = try TestServer()
      server.server.stop(within: .seconds(1))
      let other = LoopbackSocket.make()
      #expect(throws: LoopbackSocket.Failure.self) {
        try LoopbackSocket.bind(other, to: UInt16(server.port))
      }
      #expect(server.descriptors == 0)
      close(other)
    }

    @Test func `a stopped server is gone, and stopping again has no effect`() throws {
      let server = try TestServer()
      server.server.stop(within: .seconds(1))
      server.server.stop(within: .seconds(1))
      #expect(server.server.port == nil)
      #expect(throws: TestFailure.self) { try server.client() }
      let error = #expect(throws: ServerError.self) { try server.server.start() }
      #expect(error?.code == .alreadyStarted)
    }
  }
}
