import Testing

@testable import ReactorCoding

@Suite struct SpareBuffersTests {
  @Test func `what a series was encoded in is lent to the next`() throws {
    let spare = SpareBuffers()
    let first = JSONCoder.Series(in: spare)
    #expect(try first.encode([1, 2]) == Array("[1,2]".utf8))
    first.end(keepingBuffersIn: spare)
    let kept = try #require(spare.take())
    #expect(kept.bytes.isEmpty && kept.bytes.capacity > 0 && kept.frames.isEmpty)
    #expect(spare.take() == nil)
  }

  @Test func `an encoder that somebody has kept writes to nobody else's text`() throws {
    let spare = SpareBuffers()
    let thief = Thief()
    let first = JSONCoder.Series(in: spare)
    #expect(try first.encode(thief) == Array("{}".utf8))
    first.end(keepingBuffersIn: spare)
    #expect(spare.take() == nil)
  }

  @Test(arguments: [100, 100_000])
  func `a large one is not kept`(capacity: Int) {
    let spare = SpareBuffers()
    var output = Optional(JSONOutput())
    output?.bytes.reserveCapacity(capacity)
    spare.keep(&output)
    #expect((spare.take() != nil) == (capacity == 100))
  }
}

/// Keeps the encoder that it was given.
private final class Thief: Encodable {
  var encoder: (any Encoder)?

  func encode(to encoder: any Encoder) throws {
    self.encoder = encoder
  }
}
