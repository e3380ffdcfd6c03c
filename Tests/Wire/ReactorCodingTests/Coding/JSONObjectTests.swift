import Testing

@testable import ReactorCoding

/// Objects that are written and read without the containers of `Codable`.
struct JSONObjectTests {
  /// A value that is written with containers, and without them.
  private struct Place: Codable, Equatable {
    var name = "a \"b\""
    var floor = -3
    var isOpen = true
    var rooms = [Room(), Room()]
    var extra: String?

    struct Room: Codable, Equatable { var size = 1.5 }
  }

  private struct Written: Encodable {
    let place: Place

    func encode(to encoder: any Encoder) throws {
      let object = try #require(JSONObjectOutput(encoder))
      try object.encode(place.name, as: "name")
      try object.encode(place.floor, as: "floor")
      try object.encode(place.isOpen, as: "isOpen")
      let rooms = try object.array(as: "rooms")
      for room in place.rooms {
        _ = try rooms.object { try $0.encode(room.size, as: "size") }
      }
      try object.encodeNil(as: "extra")
    }
  }

  private enum Payload: Encodable {
    case place(Written)
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONCoder.encode(value), as: UTF8.self)
  }

  @Test func `the text is that of a container`() throws {
    let place = Place()
    #expect(try text(Written(place: place)) == text(place))
    #expect(try text([Written(place: place)]) == text([place]))
    #expect(try text(Payload.place(Written(place: place))) == #"{"place":\#(text(place))}"#)
  }

  @Test func `an error has the path of its value`() throws {
    var place = Place()
    place.rooms[1].size = .nan
    let error = #expect(throws: EncodingError.self) {
      try JSONCoder.encode([Written(place: place)])
    }
    guard case .invalidValue(_, let context)? = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["0", "rooms", "1", "size"])
  }

  /// Writes an element, and then its text again.
  private struct Texts: Encodable {
    func encode(to encoder: any Encoder) throws {
      let object = try #require(JSONObjectOutput(encoder))
      var members: [UInt8] = []
      let array = try object.array(as: "all")
      let json = try array.object { element in
        members = try element.firstMembers {
          try element.encode(1, as: "a")
          try element.encode([2], as: "b")
        }
        try element.encode(3, as: "c")
      }
      try array.append(json)
      _ = try array.object { element in
        try element.append(firstMembers: members)
        try element.object(as: "c").encode("x", as: "d")
      }
      try object.encodeUnescaped(as: "path") { $0 += Array("/a/b".utf8) }
    }
  }

  @Test func `texts that were written before are written again`() throws {
    #expect(
      try text(Texts())
        == #"{"all":[{"a":1,"b":[2],"c":3},{"a":1,"b":[2],"c":3},{"a":1,"b":[2],"#
        + #""c":{"d":"x"}}],"path":"/a/b"}"#)
  }

  /// Writes to an inner object after a further member of the outer object has closed it.
  private struct Late: Encodable {
    func encode(to encoder: any Encoder) throws {
      let object = try #require(JSONObjectOutput(encoder))
      let inner = try object.object(as: "inner")
      try object.encode(1, as: "a")
      try inner.encode(2, as: "b")
    }
  }

  @Test func `writing to a closed object is an error`() {
    #expect(throws: EncodingError.self) { try JSONCoder.encode(Late()) }
  }

  /// Reads members by name.
  private struct Read: Decodable {
    let texts: [String?]

    init(from decoder: any Decoder) throws {
      let input = try #require(JSONInput(decoder))
      texts = [
        "\(input.memberCount)", input["a"]?.string, input["b"]?.string,
        input["c"]?.onlyMember(named: "d").map { "\((try? $0.decode(Int.self)) ?? 0)" },
        input["c"]?.onlyMember(named: "e").map { _ in "" },
      ]
    }
  }

  @Test(arguments: [
    (#"{"a":"x","b":1,"c":{"d":2}}"#, ["3", "x", nil, "2", nil]),
    (#"{"a":"x","c":{"d":2,"e":3}}"#, ["2", "x", nil, nil, nil]),
    (#"{"\u0061":"\u0078","c":{"\u0064":2}}"#, ["2", "x", nil, "2", nil]),
    (#"["a"]"#, ["0", nil, nil, nil, nil]),
    (#""a""#, ["0", nil, nil, nil, nil]),
  ])
  func `members are found by name`(json: String, texts: [String?]) throws {
    #expect(try JSONCoder.decode(Read.self, from: Array(json.utf8)).texts == texts)
  }
}
