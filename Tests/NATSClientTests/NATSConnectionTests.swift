import Brokers
import NATSClient
import Synchronization
import Testing

@Suite(.serialized) struct NATSConnectionTests {
  private func connect(
    _ broker: Broker, _ stateDidChange: @escaping @Sendable (Bool) -> Void = { _ in }
  ) throws -> NATSConnection {
    var options = NATSConnection.Options(try #require(NATSAddresses(broker.url)), name: "test")
    options.stateDidChange = stateDidChange
    return try NATSConnection(options)
  }

  @Test func `a subscriber receives subject, reply, headers and payload in order`() async throws {
    let broker = try Broker()
    let connection = try connect(broker)
    let (messages, continuation) = AsyncStream<NATSMessage>.makeStream()
    let subscription = try connection.subscribe(to: "a.>") { continuation.yield($0) }
    try connection.publish(
      [1, 0, 255], to: "a.b", reply: "r", headers: [("Name", "värde"), ("Other", "x")])
    for number in 0..<1000 { try connection.publish(Array("\(number)".utf8), to: "a.c") }
    var received = messages.makeAsyncIterator()
    let first = try #require(await received.next())
    #expect(first.subject == "a.b")
    #expect(first.reply == "r")
    #expect(first.headers["Name"] == "värde")
    #expect(first.payload == [1, 0, 255])
    for number in 0..<1000 {
      let message = await received.next()
      #expect(message?.payload == Array("\(number)".utf8))
      #expect(message?.headers == [:])
    }
    #expect(subscription.dropped == 0)
    #expect(connection.maximumPayload == 8_388_608)
  }

  /// The broker appends fields to those of a stored message, which may have the same names.
  @Test func `the first of several header fields with the same name counts`() async throws {
    let broker = try Broker()
    let connection = try connect(broker)
    let (messages, continuation) = AsyncStream<NATSMessage>.makeStream()
    let replies = try NATSReplies(connection, prefix: "test.r") { continuation.yield($1) }
    func request(
      _ subject: String, _ body: String, _ headers: [(name: String, value: String)] = []
    ) throws {
      let reply = replies.subject(of: replies.nextNumber())
      try connection.publish(Array(body.utf8), to: subject, reply: reply, headers: headers)
    }
    var received = messages.makeAsyncIterator()
    try request(
      "$JS.API.STREAM.CREATE.ONE",
      #"{"name":"ONE","subjects":["one"],"allow_direct":true,"storage":"memory"}"#)
    _ = try #require(await received.next())
    try request("one", "x", [("Nats-Subject", "first")])
    _ = try #require(await received.next())
    try request("$JS.API.DIRECT.GET.ONE", #"{"seq":1}"#)
    let message = try #require(await received.next())
    #expect(message.payload == Array("x".utf8))
    #expect(message.headers["Nats-Stream"] == "ONE")
    #expect(message.headers["Nats-Subject"] == "first")
  }

  @Test func `closing a connection is no interruption`() async throws {
    let broker = try Broker()
    let (changes, continuation) = AsyncStream<String>.makeStream()
    let closed = try connect(broker) { continuation.yield("closed \($0)") }
    let interrupted = try connect(broker) { continuation.yield("interrupted \($0)") }
    closed.close()
    broker.kill()
    // The library reports the changes of all connections on one thread: a report of the closed
    // connection would arrive first.
    var reported = changes.makeAsyncIterator()
    #expect(await reported.next() == "interrupted false")
    interrupted.close()
  }

  @Test func `a request without responders is reported at once`() async throws {
    let broker = try Broker()
    let connection = try connect(broker)
    let (messages, continuation) = AsyncStream<(UInt64, NATSMessage)>.makeStream()
    let replies = try NATSReplies(connection, prefix: "test.r") { continuation.yield(($0, $1)) }
    let number = replies.nextNumber()
    try connection.publish([], to: "nothing", reply: replies.subject(of: number))
    var received = messages.makeAsyncIterator()
    let reply = try #require(await received.next())
    #expect(reply.0 == number)
    #expect(reply.1.isWithoutResponders)
  }

  @Test func `each reply has the number of its request`() async throws {
    let broker = try Broker()
    let connection = try connect(broker)
    let echo = try connection.subscribe(to: "echo") { [weak connection] message in
      if let reply = message.reply { try? connection?.publish(message.payload, to: reply) }
    }
    let (messages, continuation) = AsyncStream<(UInt64, NATSMessage)>.makeStream()
    let replies = try NATSReplies(connection, prefix: "test.r") { continuation.yield(($0, $1)) }
    for _ in 0..<200 {
      let number = replies.nextNumber()
      try connection.publish(
        Array("\(number)".utf8), to: "echo", reply: replies.subject(of: number))
    }
    var received = messages.makeAsyncIterator()
    for expected in 1...200 {
      let (number, reply) = try #require(await received.next())
      #expect(number == UInt64(expected))
      #expect(reply.payload == Array("\(number)".utf8))
    }
    withExtendedLifetime(echo) {}
  }

  @Test func `the connection returns after the broker does`() async throws {
    let broker = try Broker()
    let (states, continuation) = AsyncStream<Bool>.makeStream()
    let connection = try connect(broker) { continuation.yield($0) }
    let (messages, receiver) = AsyncStream<NATSMessage>.makeStream()
    let subscription = try connection.subscribe(to: "a") { receiver.yield($0) }
    var changes = states.makeAsyncIterator()
    broker.kill()
    #expect(await changes.next() == false)
    #expect(!connection.isConnected)
    try broker.start()
    #expect(await changes.next() == true)
    #expect(connection.isConnected)
    #expect(connection.reconnects == 1)
    try connection.publish([7], to: "a")
    var received = messages.makeAsyncIterator()
    #expect(await received.next()?.payload == [7])
    withExtendedLifetime(subscription) {}
  }

  @Test func `credentials are checked by the broker`() throws {
    let broker = try Broker(#"authorization { user: "ada", password: "secret" }"#)
    func connect(_ user: String) throws -> NATSConnection {
      let url = "nats://\(user)127.0.0.1:\(broker.port)"
      return try NATSConnection(.init(try #require(NATSAddresses(url)), name: "test"))
    }
    _ = try connect("ada:secret@")
    for user in ["", "ada:other@", "token@"] {
      let error = #expect(throws: NATSError.self) { try connect(user) }
      #expect(error?.code == .unauthorized)
    }
  }

  @Test func `a broker that is away is unreachable`() throws {
    let addresses = try #require(NATSAddresses("nats://127.0.0.1:1"))
    let error = #expect(throws: NATSError.self) {
      try NATSConnection(.init(addresses, name: "test"))
    }
    #expect(error?.code == .unreachable)
    #expect(BrokerGreeting.read(from: "nats://127.0.0.1:1") == nil)
  }

  @Test func `the greeting of a broker can be read`() throws {
    let broker = try Broker()
    let connection = try connect(broker)
    let url = try #require(connection.connectedURL)
    let greeting = try #require(BrokerGreeting.read(from: url))
    #expect(greeting.isAtLeast(2, 9))
    #expect(greeting.hasJetStream)
    #expect(greeting.maximumPayload == 8_388_608)
  }

  @Test func `a message that is too large is rejected`() throws {
    let broker = try Broker("max_payload: 1024")
    let connection = try connect(broker)
    let error = #expect(throws: NATSError.self) {
      try connection.publish([UInt8](repeating: 0, count: 2048), to: "a")
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func `nothing is called after a subscription was released`() async throws {
    let broker = try Broker()
    let connection = try connect(broker)
    let calls = Atomic<Int>(0)
    let count: @Sendable () -> Void = { _ = calls.add(1, ordering: .relaxed) }
    try _ = connection.subscribe(to: "a") { _ in count() }
    try connection.publish([], to: "a")
    try connection.flush()
    #expect(calls.load(ordering: .relaxed) == 0)
    connection.close()
    #expect(throws: NATSError.self) { try connection.publish([], to: "a") }
  }
}
