import ReactorCoding
import Synchronization
import Testing

struct JSONMemoTests {
  private enum Change: Encodable {
    case clear
    case by(Int)
    case isOn(Bool)
  }

  private struct Named: Encodable {
    var name = "a"
  }

  private struct Wide: Encodable {
    var numbers = (1, 2, 3)

    func encode(to encoder: any Encoder) throws {}
  }

  private struct Verbose: Encodable {
    let length: Int

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(String(repeating: "x", count: length))
    }
  }

  private struct Refusal: Error {}

  @Test func `a cached value is not encoded again`() throws {
    let memo = try #require(JSONMemo<Change>())
    var encoded = 0
    for _ in 0..<3 {
      for value in [Change.clear, .by(7)] {
        let text = try memo.text(of: value) {
          encoded += 1
          return try JSONCoder.encode($0)
        }
        #expect(try text == JSONCoder.encode(value))
      }
    }
    #expect(encoded == 2)
  }

  @Test func `values that share a slot are distinguished`() throws {
    let memo = try #require(JSONMemo<Change>())
    for _ in 0..<2 {
      for number in -100...100 {
        for value in [Change.by(number), .isOn(number.isMultiple(of: 2)), .clear] {
          let text = try memo.text(of: value, orEncode: JSONCoder.encode)
          #expect(try text == JSONCoder.encode(value))
        }
      }
    }
  }

  @Test func `numbers are distinguished by their bits`() throws {
    let memo = try #require(JSONMemo<Double>())
    for _ in 0..<2 {
      for (value, text) in [(0.0, "0"), (-0.0, "-0"), (1.5, "1.5")] {
        let known = try memo.text(of: value, orEncode: JSONCoder.encode)
        #expect(try known == JSONCoder.encode(value))
        #expect(String(decoding: known, as: UTF8.self).hasPrefix(text))
      }
    }
  }

  @Test func `large values and values with references are not cached`() {
    #expect(JSONMemo<Named>() == nil)
    #expect(JSONMemo<[Int]>() == nil)
    #expect(JSONMemo<Wide>() == nil)
  }

  @Test func `long texts and failures are not cached`() throws {
    let memo = try #require(JSONMemo<Verbose>())
    var encoded = 0
    for _ in 0..<2 {
      _ = try memo.text(of: Verbose(length: 300)) {
        encoded += 1
        return try JSONCoder.encode($0)
      }
      #expect(throws: Refusal.self) {
        try memo.text(of: Verbose(length: 1)) { _ throws(Refusal) in throw Refusal() }
      }
    }
    #expect(encoded == 2)
    #expect(
      try memo.text(of: Verbose(length: 1), orEncode: JSONCoder.encode) == Array(#""x""#.utf8))
  }
}
