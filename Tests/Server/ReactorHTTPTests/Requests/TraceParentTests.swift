import ReactorTransport
import Testing

@testable import ReactorHTTP

struct TraceParentTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"

  @Test(arguments: ["01", "00", "ff"])
  func `a child has the same trace and a new span`(flags: String) throws {
    let child = try #require(TraceParent("00-\(Self.trace)-b7ad6b7169203331-\(flags)")).child()
    #expect(child.hasPrefix("00-\(Self.trace)-"))
    #expect(child.hasSuffix("-\(flags)"))
    #expect(!child.contains("b7ad6b7169203331"))
    #expect(TraceParent(child) != nil)
  }

  @Test func `a later version may have more fields`() {
    #expect(TraceParent("cc-\(Self.trace)-b7ad6b7169203331-01-what-comes") != nil)
    #expect(TraceParent("cc-\(Self.trace)-b7ad6b7169203331-01.what-comes") == nil)
  }

  @Test(arguments: [
    "", "00", "00-\(trace)-b7ad6b7169203331", "00-\(trace)-b7ad6b7169203331-01-more",
    "ff-\(trace)-b7ad6b7169203331-01", "00-\(trace.uppercased())-b7ad6b7169203331-01",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-\(trace)-0000000000000000-01",
    "00_\(trace)-b7ad6b7169203331-01", "00-\(trace)-b7ad6b716920333g-01",
    " 0-\(trace)-b7ad6b7169203331-01",
  ])
  func `an invalid field is ignored`(field: String) {
    #expect(TraceParent(field) == nil)
  }
}

struct RequestIDTests {
  @Test func `generated ids are unique`() {
    let names = (0..<1000).map { _ in RequestID.next() }
    #expect(Set(names).count == 1000)
    #expect(names.allSatisfy { RequestID.isValid($0) })
  }

  @Test(arguments: ["a", "7b3c6f0e-9f5d-4f0e-8f0e-1234567890ab", "a/b:c=d+e@f~g._-"])
  func `the id of a client is accepted`(id: String) {
    #expect(RequestID.isValid(id))
  }

  @Test(arguments: ["", "a b", "a\"b", "a,b", "ä", "a\nb", String(repeating: "a", count: 129)])
  func `rejects an id that cannot be logged`(id: String) {
    #expect(!RequestID.isValid(id))
  }
}
