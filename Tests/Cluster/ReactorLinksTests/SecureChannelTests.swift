import Crypto
import TestSupport
import Testing

@Suite struct SecureChannelTests {
  private static func pair(
    _ secret: String = "0123456789abcdef", _ other: String = "0123456789abcdef"
  ) throws -> (client: SecureChannel, server: SecureChannel) {
    (
      try SecureChannel(SharedKey(Array(secret.utf8), for: "test"), .client),
      try SecureChannel(SharedKey(Array(other.utf8), for: "test"), .server)
    )
  }

  /// Moves the output of one side to the other in parts of a size, and returns the decrypted bytes.
  private static func move(
    from sender: SecureChannel, to receiver: SecureChannel, part: Int = SecureChannel.chunk
  ) throws -> [UInt8] {
    var output: [UInt8] = []
    sender.takeOutput(into: &output)
    return try receive(output, at: receiver, part: part)
  }

  private static func receive(
    _ bytes: [UInt8], at receiver: SecureChannel, part: Int = SecureChannel.chunk
  ) throws -> [UInt8] {
    var plaintext: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      try Array(rest.prefix(part)).withUnsafeBufferPointer {
        try receiver.receive($0, into: &plaintext)
      }
      rest = rest.dropFirst(part)
    }
    return plaintext
  }

  private static func open(_ client: SecureChannel, _ server: SecureChannel, part: Int = 65_536)
    throws
  {
    _ = try move(from: client, to: server, part: part)
    _ = try move(from: server, to: client, part: part)
    _ = try move(from: client, to: server, part: part)
  }

  @Test(arguments: [[], [0], [0, 0xFF, 0], [UInt8](repeating: 0x80, count: 1_000_000)])
  func `a secret of any length and bytes is a key, which only an equal secret has`(
    secret: [UInt8]
  ) throws {
    func opens(_ other: [UInt8]) throws -> Bool {
      let client = try SecureChannel(SharedKey(secret, for: "test"), .client)
      let server = try SecureChannel(SharedKey(other, for: "test"), .server)
      var ignored: [UInt8] = []
      for _ in 0..<4 {
        for (from, to) in [(client, server), (server, client)] {
          var bytes: [UInt8] = []
          from.takeOutput(into: &bytes)
          do {
            try bytes.withUnsafeBufferPointer { try to.receive($0, into: &ignored) }
          } catch {
            return false
          }
        }
      }
      return client.isOpen && server.isOpen
    }
    #expect(try opens(secret))
    #expect(try !opens(secret + [1]))
  }

  @Test(arguments: [1, 7, 1_000, 65_536])
  func `two sides with one key exchange bytes`(part: Int) throws {
    let (client, server) = try Self.pair()
    #expect(!client.isOpen)
    try Self.open(client, server, part: part)
    #expect(client.isOpen)
    #expect(server.isOpen)
    for size in [1, 16_384, 16_385, 200_000] where size / part < 10_000 {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      try client.send(bytes)
      #expect(try Self.move(from: client, to: server, part: part) == bytes)
      try server.send(bytes.reversed())
      #expect(try Self.move(from: server, to: client, part: part) == bytes.reversed())
    }
    client.end()
    _ = try Self.move(from: client, to: server)
    #expect(server.isEnded)
  }

  @Test func `another secret or purpose is rejected`() throws {
    let (client, server) = try Self.pair("0123456789abcdef", "0123456789abcdeF")
    #expect(throws: SecureChannel.Failure.self) { try Self.open(client, server) }
    let secret = Array("0123456789abcdef".utf8)
    let other = try SecureChannel(SharedKey(secret, for: "other"), .server)
    let same = try SecureChannel(SharedKey(secret, for: "test"), .client)
    #expect(throws: SecureChannel.Failure.self) { try Self.open(same, other) }
    #expect(!same.isOpen)
    #expect(!other.isOpen)
    #expect(throws: SecureChannel.Failure.self) { try same.send([1]) }
  }

  @Test func `recorded bytes of a client are of no use at another connection`() throws {
    let (client, server) = try Self.pair()
    var recorded: [UInt8] = []
    client.takeOutput(into: &recorded)
    let first = recorded
    _ = try Self.receive(first, at: server)
    _ = try Self.move(from: server, to: client)
    try client.send([1, 2, 3])
    recorded = []
    client.takeOutput(into: &recorded)
    #expect(try Self.receive(recorded, at: server) == [1, 2, 3])
    // The same bytes again.
    #expect(throws: SecureChannel.Failure.self) { _ = try Self.receive(recorded, at: server) }
    let (_, second) = try Self.pair()
    #expect(throws: SecureChannel.Failure.self) {
      let plaintext = try Self.receive(first + recorded, at: second)
      #expect(plaintext.isEmpty)
    }
    #expect(!second.isOpen)
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `a changed byte ends the connection, and nothing of it is decrypted`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (client, server) = try Self.pair()
    try Self.open(client, server)
    try client.send([UInt8](repeating: 9, count: 50))
    var output: [UInt8] = []
    client.takeOutput(into: &output)
    // The length of a record is not authenticated: a longer one is incomplete.
    let index = Int.random(in: 5..<output.count, using: &random)
    output[index] ^= UInt8.random(in: 1 ... .max, using: &random)
    #expect(throws: SecureChannel.Failure.self) {
      let plaintext = try Self.receive(output, at: server)
      #expect(plaintext.isEmpty)
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `other bytes than those of the protocol are rejected or ignored`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (client, server) = try Self.pair()
    var bytes: [UInt8] = []
    client.takeOutput(into: &bytes)
    for _ in 0..<Int.random(in: 1...20, using: &random) {
      bytes[Int.random(in: bytes.indices, using: &random)] = .random(
        in: .min ... .max, using: &random)
    }
    if seed % 3 == 0 { bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8) }
    for side in [server, client] {
      let plaintext = try? Self.receive(bytes, at: side)
      #expect(plaintext ?? [] == [])
      #expect(!side.isOpen)
    }
  }
}
