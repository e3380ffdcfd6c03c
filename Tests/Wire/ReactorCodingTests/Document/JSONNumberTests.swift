import ReactorCoding
import Testing

struct JSONNumberTests {
  private func number(_ text: String) throws -> JSONNumber {
    try #require(try JSONDocument(parsing: Array(text.utf8)).root.number)
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("0.0", 0), ("0e99999999999999999999", 0), ("100", 100), ("1e2", 100),
      ("1E+2", 100), ("100.0", 100), ("1000e-1", 100), ("0.1e3", 100), ("-1.5e1", -15),
      ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
      ("9.223372036854775807e18", Int.max), ("922337203685477580700e-2", Int.max),
      ("-9223372036854775808.000", Int.min), ("1.5", nil), ("1e-1", nil), ("0.1", nil),
      ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1e19", nil),
      ("1e99999999999999999999", nil), ("1e-99999999999999999999", nil), ("-0.0e-5", 0),
    ] as [(String, Int?)])
  func `integers are exact`(_ text: String, _ value: Int?) throws {
    #expect(try number(text).integer(as: Int.self) == value)
  }

  @Test func `other widths have other bounds`() throws {
    #expect(try number("255").integer(as: UInt8.self) == 255)
    #expect(try number("256").integer(as: UInt8.self) == nil)
    #expect(try number("-1").integer(as: UInt8.self) == nil)
    #expect(try number("-128").integer(as: Int8.self) == -128)
    #expect(try number("300").integer(as: Int8.self) == nil)
    #expect(try number("1e1").integer(as: Int8.self) == 10)
    #expect(try number("1e3").integer(as: Int8.self) == nil)
    #expect(try number("18446744073709551615").integer(as: UInt64.self) == .max)
    #expect(
      try number("-170141183460469231731687303715884105728").integer(as: Int128.self) == .min)
  }

  @Test(arguments: [
    "0", "-0", "1", "0.1", "0.2", "0.3", "1.5", "-2.75", "3.141592653589793", "1e22", "1e23",
    "123456789012345678", "9007199254740993", "0.000001", "1e-7", "5e-324",
    "2.2250738585072014e-308",
    "1.7976931348623157e308", "1e-400", "179769313486231570793e288", "0.30000000000000004",
    "99999999999.99999", "8.5", "1234567.8901234", "0.1234567890",
  ])
  func `floating-point numbers are rounded to the nearest value`(_ text: String) throws {
    let expected = try #require(Double(text))
    #expect(try number(text).double?.bitPattern == expected.bitPattern)
    let bytes = Array(text.utf8)
    #expect(try JSONCoder.decode(Double.self, from: bytes).bitPattern == expected.bitPattern)
    if let float = Float(text), float.isFinite {
      #expect(try JSONCoder.decode(Float.self, from: bytes).bitPattern == float.bitPattern)
    }
  }

  @Test func `a number beyond the range of its type is nil`() throws {
    #expect(try number("1e400").double == nil)
    #expect(try number("-1e400").double == nil)
  }

  @Test func `numbers with the same value are equal`() throws {
    #expect(try number("1e2") == number("100"))
    #expect(try number("1.50") == number("1.5"))
    #expect(try number("9007199254740993") != number("9007199254740992"))
    #expect(try number("18446744073709551615") != number("18446744073709551614"))
    #expect(try number("1e2").hashValue == number("100").hashValue)
  }
}
