import ReactorLinks
import ReactorLog
import TestSupport
import Testing

@Suite struct LinkFrameTests {
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `frames arrive as they were sent, however their bytes are divided`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let kinds: [LinkFrame.Kind] = [.greeting, .welcome, .rejection, .request, .reply, .message]
    let frames = (0..<40).map { _ in
      LinkFrame(
        kinds.randomElement(using: &random) ?? .message,
        number: UInt64.random(in: .min ... .max, using: &random),
        (0..<Int.random(in: 0...600, using: &random)).map { UInt8(truncatingIfNeeded: $0) })
    }
    var bytes: [UInt8] = []
    for frame in frames { frame.write(to: &bytes) }
    #expect(bytes.count == frames.reduce(0) { $0 + $1.size })
    var reader = FrameReader()
    var received: [LinkFrame] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(Int.random(in: 1...900, using: &random))
      rest = rest.dropFirst(part.count)
      reader.append(Array(part))
      while let frame = try reader.next() { received.append(frame) }
    }
    #expect(received == frames)
  }

  @Test
  func `a frame that is too large or of an unknown kind is an error before its content arrives`() {
    for head: [UInt8] in [
      [4, 0, 0, 1, 4], [0, 0, 0, 0, 0], [0, 0, 0, 0, 7], [255, 255, 255, 255, 6],
    ] {
      var reader = FrameReader()
      reader.append(head + [UInt8](repeating: 0, count: 8))
      #expect(throws: FrameError()) { _ = try reader.next() }
    }
    var reader = FrameReader()
    reader.append([0, 0, 4, 1, 1] + [UInt8](repeating: 0, count: 8))
    #expect(throws: FrameError()) { _ = try reader.next(bound: LinkGreeting.bound) }
  }

  private let greeting = LinkGreeting(
    cluster: "main", from: NodeID(name: "n1", incarnation: .max), at: "[::1]:4000",
    to: NodeID(name: "n2", incarnation: 7))

  @Test func `a greeting is read as it was written`() {
    #expect(LinkGreeting(greeting.bytes) == greeting)
    #expect(LinkGreeting(greeting.bytes + [1, 2, 3]) == greeting)
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `any bytes are read as a greeting or are none`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var bytes = greeting.bytes
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      bytes[Int.random(in: bytes.indices, using: &random)] = .random(
        in: .min ... .max, using: &random)
    }
    bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
    if let read = LinkGreeting(bytes) { #expect(LinkGreeting(read.bytes) != nil) }
  }

  @Test func `a greeting is rejected by another cluster, version or process`() throws {
    let node = greeting.receiver
    #expect(try greeting.version(in: "main", at: node) == 1)
    #expect(throws: LinkRejection.otherCluster) { try greeting.version(in: "test", at: node) }
    for other in [nil, NodeID(name: "n2", incarnation: 8), greeting.sender] {
      #expect(throws: LinkRejection.otherNode) { try greeting.version(in: "main", at: other) }
    }
    var later = greeting
    later.versions = 1...9
    #expect(try later.version(in: "main", at: node) == 1)
    later.versions = 2...9
    #expect(throws: LinkRejection.otherVersion) { try later.version(in: "main", at: node) }
  }

  @Test func `an address has a host and a port`() {
    for (text, host, port) in [
      ("127.0.0.1:80", "127.0.0.1", 80), ("[::1]:4000", "::1", 4000),
      ("[fe80::1%eth0]:1", "fe80::1%eth0", 1), ("db-1.example.org:0", "db-1.example.org", 0),
    ] as [(String, String, UInt16)] {
      let address = LinkAddress(text)
      #expect(address?.host == host)
      #expect(address?.port == port)
      #expect(address?.description == text)
    }
    for text in [
      "", ":80", "host", "host:", "host:65536", "host:-1", "host:+1", "::1:80", "[::1]",
      "[host]:80",
      "a b:80", "a/b:80", "user@host:80", "unix:/tmp/a:1", "h\u{0}:1",
    ] { #expect(LinkAddress(text) == nil, "\(text)") }
    #expect(LinkAddress("0.0.0.0:1")?.isWildcard == true)
    #expect(LinkAddress("[::]:1")?.isWildcard == true)
    #expect(LinkAddress("[0:0::0]:1")?.isWildcard == true)
    #expect(LinkAddress("[::1]:1")?.isWildcard == false)
    #expect(LinkAddress("n1:1")?.isWildcard == false)
  }
}
