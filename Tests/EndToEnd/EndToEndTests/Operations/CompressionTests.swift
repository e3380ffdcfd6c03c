import Commands
import Foundation
import Testing

/// gzip, for clients that accept it.
@Suite(.blocking)
struct CompressionTests {
  let session: SessionClient
  private let gzip = ["Accept-Encoding": "gzip"]

  init() throws {
    session = try ReactordProcess.shared.get().session(of: "chat")
    try session.post(#"{"join":"Ada"}"#)
    let text = String(repeating: "The Analytical Engine weaves algebraical patterns. ", count: 60)
    try session.post(#"{"send":{"from":"Ada","text":"\#(text)"}}"#)
  }

  private func unpacked(_ response: HTTPResponse) throws -> String {
    let gzip = try Command(["gzip", "--decompress", "--stdout"], input: response.body)
    #expect(gzip.status == 0)
    return String(decoding: gzip.output, as: UTF8.self)
  }

  @Test func `a large response is compressed for a client that accepts gzip`() throws {
    let plain = try session.state()
    let response = try session.state("", gzip)
    #expect(plain["Content-Encoding"] == nil)
    #expect(response["Content-Encoding"] == "gzip")
    #expect(response["Content-Type"] == "application/json")
    #expect(response.body.count < plain.body.count / 2)
    #expect(try unpacked(response) == plain.text)
    for response in [plain, response] {
      #expect(response["Vary"]?.contains("Accept-Encoding") == true)
    }
  }

  @Test func `HEAD has the fields of GET`() throws {
    let get = try session.state("", gzip)
    let head = try session.client.send("HEAD", session.path + "/state", gzip)
    for name in ["Content-Encoding", "Content-Length", "ETag"] { #expect(head[name] == get[name]) }
  }

  @Test(arguments: ["identity", "gzip;q=0", "br", "*;q=0", "gzip;q=0.1, identity;q=1"])
  func `a client that does not accept gzip gets the plain form`(field: String) throws {
    #expect(try session.state("", ["Accept-Encoding": field])["Content-Encoding"] == nil)
  }

  @Test func `a small response is not compressed, unless only gzip is accepted`() throws {
    let counter = try ReactordProcess.shared.get().session(of: "counter")
    #expect(try counter.state("", gzip)["Content-Encoding"] == nil)
    let response = try counter.state("", ["Accept-Encoding": "gzip, identity;q=0"])
    #expect(response["Content-Encoding"] == "gzip")
    #expect(try unpacked(response) == #"{"value":0}"#)
  }

  @Test func `the two forms have different tags, and both identify the session's cursor`()
    throws
  {
    let plain = try #require(try session.state()["ETag"])
    let packed = try #require(try session.state("", gzip)["ETag"])
    #expect(plain != packed)
    for tag in [plain, packed] {
      let known = try session.state("", ["If-None-Match": tag])
      #expect(known.status == 304)
      let again = try session.state("", gzip.merging(["If-None-Match": tag]) { $1 })
      #expect(again.status == 304)
      #expect(again["ETag"] == tag)
    }
    #expect(try session.post(#"{"leave":"Ada"}"#, ["If-Match": packed]).status == 200)
    try expectProblem(
      try session.post(#"{"leave":"Ada"}"#, ["If-Match": packed]), 412, "version-mismatch")
  }

  @Test(arguments: [false, true])
  func `a stream resumes at the tag of a compressed State`(isWeak: Bool) throws {
    let packed = try #require(try session.state("", gzip)["ETag"])
    let tag = isWeak ? "W/" + packed : packed
    let encoded = tag.utf8.map { "%" + String(Int($0) | 0x100, radix: 16).dropFirst() }.joined()
    for stream in [
      try session.events("", ["Last-Event-ID": tag]),
      try session.events("?last_event_id=\(encoded)"),
      try session.events("?replay=all", ["Last-Event-ID": tag]),
    ] {
      #expect(stream.head.status == 200)
      try session.post(#"{"leave":"Ada"}"#)
      try session.post(#"{"join":"Ada"}"#)
      let next = try #require(try stream.nextEvent())
      #expect(next.event == nil)
      #expect(next.data?.contains("Analytical") == true)
    }
  }

  @Test func `the OpenAPI document and the metrics are compressed, too`() throws {
    for path in ["/openapi.json", "/metrics", "/reactor.js"] {
      #expect(try session.client.get(path, gzip)["Content-Encoding"] == "gzip")
    }
  }

  @Test func `compression can be disabled`() throws {
    let server = try ReactordProcess("--http-compression", "0")
    let response = try server.client().get("/openapi.json", gzip)
    #expect(response["Content-Encoding"] == nil)
    #expect(response["Vary"] == nil)
  }
}
