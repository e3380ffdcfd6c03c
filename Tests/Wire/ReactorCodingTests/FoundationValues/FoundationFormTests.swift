import Foundation
import RandomJSON
import ReactorCoding
import Testing

/// The forms of Foundation's values.
struct FoundationFormTests {
  private func json(_ value: some Encodable) throws -> String {
    String(decoding: try JSONCoder.encode(value), as: UTF8.self)
  }

  private func read<Value: Decodable>(
    _ type: Value.Type, _ text: String, _ strictness: JSONCoder.Strictness = .strict
  ) throws -> Value {
    try JSONCoder.decode(type, from: Array(text.utf8), strictness: strictness)
  }

  /// A value is read back as an equal one, which has the same bytes.
  private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
    let text = try json(value)
    let again = try read(Value.self, text)
    #expect(again == value, "\(text)")
    #expect(try json(again) == text)
  }

  // MARK: Forms

  struct Everything: Codable, Equatable {
    var when = Date(timeIntervalSinceReferenceDate: 0.25)
    var link = URL(string: "https://example.org/a?b=c#d")
    var bytes = Data([0, 1, 250])
    var price = Decimal(string: "12.340")
    var identity = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))
    var none: Date?
    var byName = ["a": Data([1])]
    var dates = [Date(timeIntervalSinceReferenceDate: -1), nil]
  }

  @Test func `each type has its form wherever it is nested`() throws {
    #expect(
      try json(Everything())
        == #"{"when":"2001-01-01T00:00:00.25Z","link":"https://example.org/a?b=c#d","#
        + #""bytes":"AAH6","price":12.34,"identity":"01020304-0506-0708-090A-0B0C0D0E0FFF","#
        + #""none":null,"byName":{"a":"AQ=="},"dates":["2000-12-31T23:59:59Z",null]}"#)
    try expectRoundTrip(Everything())
    enum Action: Codable, Equatable { case open(URL), move(to: Date, Decimal?), put([Data]) }
    #expect(try json(Action.open(#require(URL(string: "a:b")))) == #"{"open":"a:b"}"#)
    try expectRoundTrip(Action.move(to: Date(timeIntervalSince1970: 0), 5))
    try expectRoundTrip(Action.put([Data(), Data([7])]))
  }

  @Test(
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
      (804_600_000.125, "2026-07-01T12:00:00.125Z"), (-0.1, "2000-12-31T23:59:59.9Z"),
      (-978_307_200.75, "1969-12-31T23:59:59.25Z"), (0.1, "2001-01-01T00:00:00.1Z"),
      (-63_113_904_000, "0001-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
      (252_423_993_600, "+010000-01-01T00:00:00Z"), (-63_145_526_401, "-000001-12-31T23:59:59Z"),
      (1e-7, "2001-01-01T00:00:00.0000001Z"),
    ])
  func `a date is RFC 3339 in UTC`(_ seconds: Double, _ text: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(try json(date) == "\"\(text)\"")
    try expectRoundTrip(date)
  }

  @Test(
    arguments: [
      ("2026-07-01T12:00:00Z", 804_600_000), ("2026-07-01t12:00:00z", 804_600_000),
      ("2026-07-01 12:00:00Z", 804_600_000), ("2026-07-01T14:30:00+02:30", 804_600_000),
      ("2026-07-01T04:00:00-08:00", 804_600_000), ("2026-07-01T12:00:00-00:00", 804_600_000),
      ("2026-07-01T12:00:00.123456789Z", 804_600_000.123456789),
      ("2026-07-01T12:00:00.5000000000000000000000Z", 804_600_000.5),
      ("2016-12-31T23:59:60Z", 504_921_600), ("2017-01-01T00:59:60.5+01:00", 504_921_600.5),
      ("2024-02-29T00:00:00Z", 730_857_600), ("804600000", 804_600_000), ("1.5", 1.5),
    ])
  func `a date is read in every form of RFC 3339, and as it was stored`(
    _ text: String, _ seconds: Double
  ) throws {
    let text = text.contains(":") ? "\"\(text)\"" : text
    #expect(try read(Date.self, text) == Date(timeIntervalSinceReferenceDate: seconds))
    #expect(try read([Date?].self, "[\(text)]", .lenient).count == 1)
  }

  @Test(arguments: [
    "", "2026-07-01", "2026-07-01T12:00:00", "2026-07-01T12:00Z", "2026-13-01T12:00:00Z",
    "2026-00-01T12:00:00Z", "2026-02-29T12:00:00Z", "2026-07-00T12:00:00Z", "2026-07-01T24:00:00Z",
    "2026-07-01T12:60:00Z", "2026-07-01T12:00:60Z", "2026-07-01T12:00:00.Z",
    "2026-07-01T12:00:00,5Z", "2026-07-01T12:00:00+0200", "2026-07-01T12:00:00+24:00",
    "2026-07-01T12:00:00Zx", "26-07-01T12:00:00Z", "+2026-07-01T12:00:00Z", "٢٠٢٦-07-01T12:00:00Z",
    "2026-07-01T12:00:00.5", "+9999999999-01-01T00:00:00Z", "12",
  ])
  func `another text is no date`(_ text: String) throws {
    let failure = #expect(throws: JSONDecodingFailure.self) {
      try read([Date].self, #"["\#(text)"]"#)
    }
    #expect(failure?.pointer == "/0")
    #expect(failure?.detail.contains("write one like 2026-11-20T20:43:00.123Z") == true)
  }

  @Test(
    arguments: [
      ("0", "0"), ("-0", "0"), ("1.50", "1.5"), ("1e3", "1000"), ("12.5E-2", "0.125"), ("-7", "-7"),
      ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
      ("0.30000000000000004", "0.30000000000000004"), (#""19.99""#, "19.99"), (#""-1e2""#, "-100"),
      (
        #"{"exponent":-1,"length":1,"isNegative":true,"isCompact":true,"mantissa":[15,0,0,0,0,0,0,0]}"#,
        "-1.5"
      ),
    ])
  func `a decimal number keeps its digits`(_ text: String, _ expected: String) throws {
    #expect(try json(read(Decimal.self, text)) == expected)
  }

  @Test(arguments: [
    "true", "[1]", #""""#, #"" 1""#, #""1,5""#, #""0x1""#, #""NaN""#, #""+1""#, "1e300", "1e-300",
    "0.1234567890123456789012345678901234567891", "\"340282366920938463463374607431768211457\"",
    #"{"exponent":1}"#, "null",
  ])
  func `digits that a decimal number cannot hold are rejected`(_ text: String) {
    #expect(throws: JSONDecodingFailure.self) { try read(Decimal.self, text) }
  }

  @Test func `other texts and kinds are rejected with the form that is expected`() {
    func detail<Value: Decodable>(_ type: Value.Type, _ text: String) -> String? {
      #expect(throws: JSONDecodingFailure.self) { try read(type, text) }?.detail
    }
    #expect(detail(URL.self, #""""#)?.contains("no URL") == true)
    #expect(detail(URL.self, "5") == "This is a number; write a string here.")
    #expect(detail(Data.self, #""a*==""#)?.contains("no Base64") == true)
    #expect(detail(Data.self, "[256]") != nil)
    #expect(detail(Data.self, "{}") == "This is an object; write a string here.")
    #expect(detail(Date.self, "[]") == "This is an array; write a string here.")
    #expect(detail(UUID.self, #""a""#) != nil)
  }

  @Test func `a number that JSON cannot express is an error with its path`() {
    for date in [
      Date(timeIntervalSinceReferenceDate: .nan), .init(timeIntervalSince1970: .infinity),
    ] {
      #expect(throws: EncodingError.self) { try json(["a": date]) }
    }
    #expect(throws: EncodingError.self) { try json([Decimal.nan]) }
  }

  // MARK: The form of earlier releases

  @Test(arguments: [JSONCoder.Strictness.strict, .lenient])
  func `the form of earlier releases is read`(_ strictness: JSONCoder.Strictness) throws {
    let page = try #require(
      URL(string: "page?x=1", relativeTo: URL(string: "https://example.org/")))
    let base = #"{"relative":"https://example.org/"}"#
    #expect(try read(URL.self, #"{"relative":"page?x=1","base":\#(base)}"#, strictness) == page)
    #expect(try json(page) == #""https://example.org/page?x=1""#)
    #expect(try read(URL.self, base, strictness) == URL(string: "https://example.org/"))
    #expect(try read(Data.self, "[1,2]", strictness) == Data([1, 2]))
    let price =
      #"{"exponent":-2,"length":1,"isNegative":false,"isCompact":true,"#
      + #""mantissa":[1234,0,0,0,0,0,0,0]}"#
    #expect(try read(Decimal.self, price, strictness) == Decimal(string: "12.34"))
    #expect(
      try read(Date.self, "1234.5", strictness) == Date(timeIntervalSinceReferenceDate: 1234.5))
  }

  // MARK: Random values

  static let seeds = UInt64(0)..<20

  @Test(arguments: seeds) func `random values are read back`(_ seed: UInt64) throws {
    var random = JSONGenerator(seed: seed)
    for _ in 0..<200 {
      let exponent = Int.random(in: -60...53, using: &random)
      let seconds = Double(
        sign: Bool.random(using: &random) ? .plus : .minus, exponent: exponent,
        significand: .random(in: 1..<2, using: &random))
      try expectRoundTrip(Date(timeIntervalSinceReferenceDate: seconds))
      try expectRoundTrip(
        Date(timeIntervalSinceReferenceDate: .random(in: -63e9...252e9, using: &random)))
      try expectRoundTrip(
        Data(
          (0..<Int.random(in: 0..<20, using: &random)).map { _ in
            .random(in: 0...255, using: &random)
          }))
      try expectRoundTrip(decimal(&random))
      try expectRoundTrip(
        UUID(uuid: unsafeBitCast((random.next(), random.next()), to: uuid_t.self)))
      try expectRoundTrip(#require(url(&random)))
    }
    let least = Double.leastNonzeroMagnitude
    for seconds in [least, -least, 1e300, -0.0, 0x1p53 - 1, 0x1p52 + 0.5, -0x1p52 - 0.5] {
      try expectRoundTrip(Date(timeIntervalSinceReferenceDate: seconds))
    }
    try expectRoundTrip(Decimal.greatestFiniteMagnitude)
    try expectRoundTrip(Decimal.leastFiniteMagnitude)
    try expectRoundTrip(Decimal.leastNonzeroMagnitude)
  }

  private func decimal(_ random: inout JSONGenerator) -> Decimal {
    let digits = UInt128(random.next()) << 64 | UInt128(random.next())
    let significand = digits >> Int.random(in: 0..<128, using: &random)
    let value = Decimal(
      sign: Bool.random(using: &random) ? .plus : .minus,
      exponent: .random(in: -128...127, using: &random),
      significand: Decimal(string: significand.description) ?? 0)
    return value.isFinite ? value : 0
  }

  private func url(_ random: inout JSONGenerator) -> URL? {
    func text() -> String {
      String(
        (0..<Int.random(in: 1...8, using: &random)).map { _ in
          "aZ09-._~%/ü😀 ?#&=".randomElement(using: &random) ?? "a"
        })
    }
    return [
      URL(string: "https://example.org/" + text()), URL(fileURLWithPath: "/" + text()),
      URL(string: "mailto:" + text()), URL(string: "/" + text()), URL(string: "//h/" + text()),
    ].compactMap(\.self).randomElement(using: &random)
  }
}
