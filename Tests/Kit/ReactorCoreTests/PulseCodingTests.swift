import ReactorCoding
import ReactorCore
import Testing

/// A pulse in JSON is its value alone.
struct PulseCodingTests {
  private struct Shown: Codable, Equatable {
    @Pulse var alert: String?
    @Pulse var items: [Int] = []
  }

  private struct Plain: Codable {
    var alert: String?
    var items: [Int] = []
  }

  @Test func `a pulse is encoded and decoded as its value`() throws {
    for (alert, items) in [(nil, []), ("a", [1, 2])] {
      let state = Shown(alert: alert, items: items)
      let written = try JSONCoder.encode(state)
      #expect(try written == JSONCoder.encode(Plain(alert: alert, items: items)))
      let read = try JSONCoder.decode(Shown.self, from: written)
      #expect(read == state)
      #expect(read.$alert.valueUpdatedCount == 0)
    }
  }

  @Test(arguments: [#"{"alert":null,"items":[]}"#, #"{"items":[]}"#])
  func `an optional pulse can be null or absent`(json: String) throws {
    #expect(try JSONCoder.decode(Shown.self, from: Array(json.utf8)) == Shown())
  }

  @Test func `the schema of a pulse is the one of its value`() throws {
    #expect(
      try JSONCoder.encode(JSONSchema.derive(Shown.self, for: .output))
        == JSONCoder.encode(JSONSchema.derive(Plain.self, for: .output)))
  }
}
