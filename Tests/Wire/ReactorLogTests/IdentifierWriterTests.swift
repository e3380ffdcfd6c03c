import ReactorLog
import Testing

struct IdentifierWriterTests {
  @Test(arguments: [
    ("a", 0, "a-0"), ("k3x9q2", 17, "k3x9q2-17"), ("", 9, "-9"), ("é", 10, "é-10"),
    (
      "a name longer than what a text holds in itself", Int.max,
      "a name longer than what a text holds in itself-9223372036854775807"
    ),
  ])
  func `an identifier is a name, a dash and a number`(name: String, number: Int, text: String) {
    #expect(IdentifierWriter(name, number).text == text)
    #expect(IdentifierWriter(name, number, quote: UInt8(ascii: "\"")).text == "\"\(text)\"")
  }

  @Test(arguments: [0, 1, 35, 36, 1295, 1296, 1_000_000, Int.max])
  func `the digits are equal to those of the standard library`(number: Int) {
    for radix in [2, 10, 16, 36] {
      #expect(
        IdentifierWriter("x", number, radix: UInt(radix)).text == "x-"
          + String(number, radix: radix))
    }
  }

  @Test func `an entity tag is a cursor in quotes`() {
    #expect(Cursor(epoch: "k3x9q2", version: 17).tag == #""k3x9q2-17""#)
  }
}
