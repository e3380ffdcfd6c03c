import Crypto
import Glibc
import ReactorCluster
import ReactorLinks
import ReactorLog
import TestSupport
import Testing

/// A process that has connected to a bus, and sends what a node would not.
private final class Peer {
  private let descriptor: Int32
  private let channel: SecureChannel
  private var reader = FrameReader()

  init(_ bus: LinkBus, secret: [UInt8] = secret) throws {
    descriptor = LoopbackSocket.make()
    channel = try SecureChannel(SharedKey(secret, for: "reactord links"), .client)
    try LoopbackSocket.connect(descriptor, to: bus.address.port)
  }

  deinit { close(descriptor) }

  /// Sends bytes without encryption; fails once the bus has closed the connection.
  func send(raw bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Sends the output of the channel.
  @discardableResult
  func flush() -> Bool {
    var output: [UInt8] = []
    channel.takeOutput(into: &output)
    return send(raw: output)
  }

  /// Reads until a frame arrives, or returns `nil` at the end of the connection.
  func receive() throws -> LinkFrame? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      if let frame = try reader.next() { return frame }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      var plaintext: [UInt8] = []
      try buffer.withUnsafeBufferPointer {
        try channel.receive(UnsafeBufferPointer(rebasing: $0[..<count]), into: &plaintext)
      }
      flush()
      reader.append(plaintext)
    }
  }

  /// Completes the handshake.
  func open() throws {
    flush()
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !channel.isOpen {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw BusError.noSuchNode }
      var plaintext: [UInt8] = []
      try buffer.withUnsafeBufferPointer {
        try channel.receive(UnsafeBufferPointer(rebasing: $0[..<count]), into: &plaintext)
      }
      flush()
    }
  }

  func send(_ bytes: [UInt8]) throws -> Bool {
    try channel.send(bytes)
    return flush()
  }

  func send(_ frame: LinkFrame) throws -> Bool {
    var bytes: [UInt8] = []
    frame.write(to: &bytes)
    return try send(bytes)
  }

  /// Greets the bus as a node.
  func greet(as node: NodeID, _ receiver: NodeID) throws -> LinkFrame? {
    try open()
    let greeting = LinkGreeting(cluster: "test", from: node, at: "127.0.0.1:1", to: receiver)
    _ = try send(LinkFrame(.greeting, greeting.bytes))
    return try receive()
  }
}

@Suite(.serialized) struct HostilePeerTests {
  private let one = NodeID(name: "one", incarnation: 1)
  private let two = NodeID(name: "two", incarnation: 2)
  private let stranger = NodeID(name: "stranger", incarnation: 3)
  private let registry = Registry()

  private func makePair() async throws -> (LinkBus, LinkBus, Handler) {
    let (first, second, handler) = (try makeBus(registry), try makeBus(registry), Handler())
    first.join(as: one, Handler())
    second.join(as: two, handler)
    #expect(await request([1], to: two, over: first) == .success([1]))
    return (first, second, handler)
  }

  @Test func `connections that send nothing, garbage or half of a handshake disturb no node`()
    async throws
  {
    let (first, second, _) = try await makePair()
    var random = SplitMix64(seed: 7)
    var peers: [Peer] = []
    for number in 0..<200 {
      let peer = try Peer(second)
      switch number % 4 {
      case 0: break
      case 1: _ = peer.send(raw: (0..<500).map { _ in .random(in: .min ... .max, using: &random) })
      case 2: _ = peer.send(raw: Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      default: peer.flush()
      }
      peers.append(peer)
    }
    #expect(await request([1, 2], to: two, over: first) == .success([2, 1]))
    #expect(await request([1, 2], to: one, over: second) == .success([2, 1]))
    // A new node is accepted beside them.
    let third = try makeBus(registry)
    third.join(as: stranger, Handler())
    #expect(await request([3, 4], to: two, over: third) == .success([4, 3]))
    withExtendedLifetime(peers) {}
  }

  @Test func `a peer with another secret is rejected without a reply`() async throws {
    let (_, second, _) = try await makePair()
    let peer = try Peer(second, secret: Array("another secret of them".utf8))
    #expect(throws: (any Error).self) { try peer.open() }
  }

  @Test func `frames that a node would not send end their connection only`() async throws {
    let (first, second, _) = try await makePair()
    let frames = [
      LinkFrame(.reply, number: 1, [1]), LinkFrame(.welcome, number: 1), LinkFrame(.rejection),
      LinkFrame(.greeting, [1, 1]),
    ]
    for frame in frames {
      let peer = try Peer(second)
      #expect(try peer.greet(as: stranger, two)?.kind == .welcome)
      _ = try peer.send(frame)
      #expect(try peer.receive() == nil)
    }
    // A size above the bound, an unknown kind, and a greeting without fields or of excessive size.
    for bytes: [UInt8] in [[255, 0, 0, 0, 4], [0, 0, 0, 0, 77]] {
      let peer = try Peer(second)
      #expect(try peer.greet(as: stranger, two)?.kind == .welcome)
      _ = try peer.send(bytes + [UInt8](repeating: 0, count: 8))
      #expect(try peer.receive() == nil)
    }
    for frame in [
      LinkFrame(.request, [1]), LinkFrame(.greeting, [UInt8](repeating: 0, count: 2_000)),
    ] {
      let peer = try Peer(second)
      try peer.open()
      _ = try peer.send(frame)
      #expect(try peer.receive() == nil)
    }
    // Half of a frame, and the end.
    do {
      let peer = try Peer(second)
      #expect(try peer.greet(as: stranger, two)?.kind == .welcome)
      _ = try peer.send([0, 0, 1, 0, 4, 0])
    }
    let other = try Peer(second)
    let rejection = try other.greet(as: stranger, NodeID(name: "two", incarnation: 99))
    #expect(rejection == LinkFrame(.rejection, number: 3))
    #expect(await request([1, 2], to: two, over: first) == .success([2, 1]))
  }

  @Test func `a peer that does not read its replies loses its connection`() async throws {
    let (first, second, handler) = try await makePair()
    let peer = try Peer(second)
    #expect(try peer.greet(as: stranger, two)?.kind == .welcome)
    // The replies exceed what the sockets buffer.
    let content = [UInt8](repeating: 1, count: 1 << 20)
    for number: UInt64 in 1...24 where try !peer.send(LinkFrame(.request, number: number, content))
    {
      break
    }
    var lost = handler.lost.makeAsyncIterator()
    #expect(await lost.next() == stranger)
    #expect(await request([1, 2], to: two, over: first) == .success([2, 1]))
  }
}
