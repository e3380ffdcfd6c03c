import Identity
import ReactorCore
import ReactorHost
import ReactorTransport
import Testing

@testable import ReactorHTTP

/// Which streams are compressed, and what their clients share.
struct CompressedStreamTests {
  private static let rules = #"""
    [{"allow":"read","to":"number/public-*","anonymous":true},{"allow":"manage","to":"number/*"}]
    """#

  private func service(_ adjust: (inout ReactorAPI.Settings) -> Void = { _ in }) -> Service {
    Service(settings: {
      $0.compression = ResponseCompression(minimum: 1) { _ in nil }
      adjust(&$0)
    })
  }

  private func open(
    _ service: Service, _ target: String, _ fields: [(name: HTTPHeader, value: String)] = []
  ) throws -> (isCompressed: Bool, stream: any ByteStream) {
    let response = try service.ask("GET", target, [(.acceptEncoding, "gzip")] + fields)
    guard case .stream(let stream) = response.body else {
      throw Problem(.notFound, "no stream: \(response.status)")
    }
    return (response[field: "Content-Encoding"] == "gzip", stream)
  }

  private func bytes(_ stream: any ByteStream) throws -> [UInt8] {
    guard case .chunk(let chunk) = stream.next() else { return [] }
    return Array(chunk.framed[chunk.payload])
  }

  @Test func `a State that anonymous clients may read is compressed, and no other one`() throws {
    let token = (name: HTTPHeader.authorization, value: "Bearer reader-of-everything-1")
    let service = service {
      $0.authentication = .tokens("reader-of-everything-1 read", rules: Self.rules)
    }
    for (id, isPublic) in [("public-1", true), ("private", false)] {
      let (isCompressed, stream) = try open(service, "\(Service.root)/\(id)/events", [token])
      #expect(isCompressed == isPublic, "\(id)")
      stream.closed()
    }
    let (isCompressed, stream) = try open(service, "/v1/globals/motto/events", [token])
    #expect(!isCompressed)
    stream.closed()
    // Without authentication each client may read everything.
    for target in ["/v1/globals/motto/events", "\(Service.root)/private/events"] {
      let (isCompressed, stream) = try open(self.service(), target)
      #expect(isCompressed, "\(target)")
      stream.closed()
    }
  }

  @Test(arguments: [true, false])
  func `a projected session is never compressed`(isProjected: Bool) throws {
    let service = Service(
      reactors: [
        ReactorRegistration(
          "table", summary: "A table", projection: isProjected ? TableReactor.projection : nil
        ) {
          TableReactor(effect: .empty())
        }
      ],
      settings: { $0.compression = ResponseCompression(minimum: 1) { _ in nil } })
    let seat = #"{"seat":{"_0":"ada","_1":1}}"#
    _ = try service.ask("POST", "\(Table.root)/t/actions?name=ada", body: seat)
    let (isCompressed, stream) = try open(service, "\(Table.root)/t/events?name=ada")
    #expect(isCompressed != isProjected)
    stream.closed()
  }

  @Test func `nothing is compressed from when not every client may read it any more`() throws {
    let token = (name: HTTPHeader.authorization, value: "Bearer reader-of-everything-1")
    let service = service {
      $0.authentication = .tokens("reader-of-everything-1 manage", rules: Self.rules)
    }
    func addOne() throws {
      _ = try service.ask(
        "POST", "\(Service.root)/public-1/actions", [token], body: #"{"add":1}"#)
    }
    try addOne()
    let stream = try open(service, "\(Service.root)/public-1/events", [token]).stream
    for _ in 0..<3 {
      _ = try bytes(stream)
      try addOne()
    }
    service.api.replaceAuthentication(.tokens("reader-of-everything-1 manage", rules: "[]"))
    #expect(try String(decoding: bytes(stream).dropFirst(5), as: UTF8.self).hasPrefix("id: "))
    stream.closed()
  }

  @Test func `the bytes of an event are shared, and made only for compressed streams`() throws {
    let service = service()
    try service.addOnes(1)
    let target = "\(Service.root)/demo/events"
    let plain = try service.open(target).skipOpening()
    let (first, second) = (try open(service, target).stream, try open(service, target).stream)
    #expect(try bytes(first).starts(with: [0x1F, 0x8B]))
    _ = try bytes(second)
    try service.addOnes(1)
    // After the opening of each client, and then after the event before.
    var sizes: [Int] = []
    for _ in 0..<2 {
      let (one, other) = (try bytes(first), try bytes(second))
      #expect(one == other)
      sizes.append(one.count)
      try service.addOnes(1)
    }
    #expect(sizes[1] < sizes[0])
    // A heartbeat separates a client from the others until the next event.
    _ = first.heartbeat
    let (one, other) = (try bytes(first), try bytes(second))
    #expect(one.count > other.count)
    _ = plain.read()
    #expect(plain.ids.suffix(3) == [2, 3, 4])
    for stream in [first, second] { stream.closed() }
    plain.close()
  }

  @Test func `a client that is far behind gets events that are not compressed again`() throws {
    let service = service()
    let stream = try open(service, "\(Service.root)/demo/events").stream
    let fast = try open(service, "\(Service.root)/demo/events").stream
    for stream in [stream, fast] { _ = try bytes(stream) }
    for _ in 0..<(2 * EventBlocks.bound) {
      try service.addOnes(1)
      _ = try bytes(fast)
    }
    #expect(try String(decoding: bytes(stream).dropFirst(5), as: UTF8.self).hasPrefix("id: "))
    for stream in [stream, fast] { stream.closed() }
  }
}
