import ReactorCoding
import Testing

struct PlainCasesTests {
  private enum Move: Codable, Equatable {
    case stop
    case turn(by: Int)
    case fly(height: Int?)
    case sayHello
  }

  private enum Words: String, Codable { case one, two }

  /// Decodes its name as a case with an associated value.
  private enum Tick: Codable {
    private enum CodingKeys: CodingKey { case now, never }

    case now(at: Int)
    case never

    init(from decoder: any Decoder) throws {
      self =
        try decoder.container(keyedBy: CodingKeys.self).allKeys.first == .now
        ? .now(at: .random(in: 0...9)) : .never
    }
  }

  @Test func `cases without associated values are listed with their JSON`() {
    let cases = JSONCoder.plainCases(of: Move.self)
    #expect(cases.map(\.json) == [Array(#""stop""#.utf8), Array(#""sayHello""#.utf8)])
    #expect(cases.map(\.value) == [.stop, .sayHello])
  }

  @Test func `a name that decodes to a case with an associated value is not listed`() {
    #expect(JSONCoder.plainCases(of: Tick.self).map(\.json) == [Array(#""never""#.utf8)])
  }

  @Test func `other types have no plain cases`() {
    #expect(JSONCoder.plainCases(of: Words.self).isEmpty)
    #expect(JSONCoder.plainCases(of: [Move].self).isEmpty)
    #expect(JSONCoder.plainCases(of: Int.self).isEmpty)
  }

  @Test func `a series encodes like separate calls`() throws {
    let series = JSONCoder.Series()
    for value in [Move.turn(by: 3), .stop, .fly(height: nil)] {
      #expect(try series.encode(value) == JSONCoder.encode(value))
    }
    #expect(try series.encode(["a": [1, 2]]) == Array(#"{"a":[1,2]}"#.utf8))
    #expect(try series.encode(7) == Array("7".utf8))
  }
}
