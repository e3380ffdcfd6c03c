import Foundation
import ReactorCoding
import Testing

/// JSON with which the own code of Foundation's types ends the process.
struct TrappingValueTests {
  /// The types, alone and inside of another type of Foundation.
  private struct Values: Codable, Equatable {
    var address: URLComponents?
    var characters: CharacterSet?
    var indices: IndexSet?
    var calendar: Calendar?
    var parts: DateComponents?
  }

  private static func bitmap(_ bytes: [UInt8]) -> String {
    #"{"characters":{"bitmap":"\#(Data(bytes).base64EncodedString())"}}"#
  }

  /// The bitmap of a plane with a number of different rows.
  private static func plane(rows: Int) -> [UInt8] {
    (0..<256).flatMap { [UInt8($0 % rows), 1] + Array(repeating: 0, count: 30) }
  }

  private static let hebrew =
    #""identifier":"hebrew","locale":{"identifier":""},"timeZone":{"identifier":"UTC"}"#

  private static let traps: [(json: String, pointer: String)] =
    [
      (#"{"address":{"port":-1}}"#, "/address/port"),
      (#"{"address":{"host":"a","port":-9223372036854775808}}"#, "/address/port"),
      (bitmap([]), "/characters/bitmap"),
      (bitmap(plane(rows: 129)), "/characters/bitmap"),
      (
        bitmap((0..<8191).map { UInt8(truncatingIfNeeded: $0 / 32 &* 7 &+ $0) }),
        "/characters/bitmap"
      ),
      (bitmap(Array(repeating: 255, count: 8200)), "/characters/bitmap"),
      (bitmap(Array(repeating: 85, count: 100_000)), "/characters/bitmap"),
      (bitmap(plane(rows: 1) + [1] + plane(rows: 129)), "/characters/bitmap"),
      (bitmap(plane(rows: 1) + [17] + plane(rows: 1)), "/characters/bitmap"),
      (bitmap(plane(rows: 1) + [1] + plane(rows: 1) + [1] + plane(rows: 1)), "/characters/bitmap"),
    ]
    + ["", "-1", "1a", "%zz", "a:b", "é", "a b", "\\u0000"].map {
      (#"{"address":{"scheme":"\#($0)"}}"#, "/address/scheme")
    }
    + [
      (-1, 1, "location"), (0, -1, "length"), (1, .max, "length"), (.max, 2, "length"),
      (5, .min, "length"), (.min, .min, "location"), (.max, 0, "length"),
    ].map { (location: Int, length: Int, name: String) in
      (
        #"{"indices":{"indexes":[{"location":1,"length":2},"#
          + #"{"location":\#(location),"length":\#(length)}]}}"#, "/indices/indexes/1/\(name)"
      )
    }
    + ["firstWeekday", "minimumDaysInFirstWeek"].flatMap { name in
      [0, 8, Int.max, .min].flatMap { number in
        let calendar = "{\(hebrew),\"\(name)\":\(number)}"
        return [
          (#"{"calendar":\#(calendar)}"#, "/calendar/\(name)"),
          (#"{"parts":{"calendar":\#(calendar),"year":1}}"#, "/parts/calendar/\(name)"),
        ]
      }
    }

  @Test func `JSON with which Foundation traps is rejected with the position of the member`() throws
  {
    for (json, pointer) in Self.traps {
      let error = #expect(throws: JSONDecodingFailure.self, "\(json.prefix(200))") {
        try JSONCoder.decode(Values.self, from: Array(json.utf8))
      }
      #expect(error?.pointer == pointer, "\(json.prefix(200))")
      #expect(error?.detail.isEmpty == false)
    }
  }

  @Test func `values of these types are read as Foundation writes them`() throws {
    var calendar = Calendar(identifier: .hebrew)
    calendar.firstWeekday = 7
    let sets: [CharacterSet] = [
      .alphanumerics, .whitespaces, CharacterSet(), CharacterSet(charactersIn: "a😀"),
      CharacterSet(charactersIn: "a").inverted,
    ]
    for characters in sets {
      let values = Values(
        address: URLComponents(string: "svn+ssh://user:a%20b@host:0/path?q=1#f"),
        characters: characters, indices: IndexSet([1, 2, 5, Int.max - 2]), calendar: calendar,
        parts: DateComponents(calendar: calendar, year: 5780))
      let json = try JSONCoder.encode(values)
      let decoded = try JSONCoder.decode(Values.self, from: json)
      #expect(decoded == values)
      #expect(try JSONCoder.encode(decoded) == json)
    }
    #expect(try JSONCoder.decode(Values.self, from: Array("{}".utf8)) == Values())
  }
}
