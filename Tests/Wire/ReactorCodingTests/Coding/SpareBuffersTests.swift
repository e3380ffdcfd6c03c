import Testing

@testable import ReactorCoding

@Suite struct SpareBuffersTests {
  @Test func `the buffer of a series is reused by the next`() throws {
    let spare = SpareBuffers()
    let first = JSONCoder.Series(in: spare)
    #expect(try first.encode([1, 2]) == Array("[1,2]".utf8))
    first.end(keepingBuffersIn: spare)
    let kept = try #require(spare.take())
    #expect(kept.bytes.isEmpty && kept.bytes.capacity > 0 && kept.frames.isEmpty)
    #expect(spare.take() == nil)
  }

  @Test func `an encoder that escapes writes to no other value's text`() throws {
    let spare = SpareBuffers()
    let thief = Thief()
    let first = JSONCoder.Series(in: spare)
    #expect(try first.encode(thief) == Array("{}".utf8))
    first.end(keepingBuffersIn: spare)
    #expect(spare.take() == nil)
  }

  @Test(arguments: [100, 100_000])
  func `a large buffer is released`(capacity: Int) {
    let spare = SpareBuffers()
    var output = Optional(JSONOutput())
    output?.bytes.reserveCapacity(capacity)
    spare.keep(&output)
    #expect((spare.take() != nil) == (capacity == 100))
  }
}

/// Retains its encoder beyond the call.
private final class Thief: Encodable {
  var encoder: (any Encoder)?

  func encode(to encoder: any Encoder) throws {
    self.encoder = encoder
  }
}
