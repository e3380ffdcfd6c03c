import ReactorLog
import Testing

struct CursorTests {
  @Test(arguments: [
    ("k3x9q2-17", "k3x9q2", 17), ("a-0", "a", 0), ("a-b-1", "a-b", 1), ("a--1", "a-", 1),
    ("A.z_9-9223372036854775807", "A.z_9", Int.max),
  ])
  func `the description of a cursor is parsed`(text: String, epoch: String, version: Int) {
    let cursor = Cursor(text)
    #expect(cursor == Cursor(epoch: epoch, version: version))
    #expect(cursor?.description == text)
  }

  @Test(arguments: [
    "", "-", "-1", "a", "a-", "a-01", "a-00", "a-+1", "a--", "a-1 ", " a-1", "a-1.0", "a-x",
    "a b-1",
    "é-1", "a-٣", "a/b-1", "a-9223372036854775808", String(repeating: "a", count: 63) + "-1",
    "\"a-1\"",
    "a\n-1", "a\0-1",
  ])
  func `other text is no cursor`(text: String) {
    #expect(Cursor(text) == nil)
  }

  @Test func `an id can have 64 characters`() {
    #expect(Cursor(String(repeating: "a", count: 62) + "-1") != nil)
  }
}

struct SessionKeyTests {
  @Test(arguments: ["a", "Z9", "...", ".a", "_", "~", "-", String(repeating: "x", count: 128)])
  func `a valid id is accepted`(id: String) {
    #expect(SessionKey.isValid(id: id))
  }

  @Test(arguments: [
    "", ".", "..", " ", "a b", "a/b", "a%20", "é", "a\0", "a\n", "٣", "a+b", "a:b", "🙂",
    String(repeating: "x", count: 129),
  ])
  func `an invalid id is rejected`(id: String) {
    #expect(!SessionKey.isValid(id: id))
  }

  @Test func `generated ids are valid and unique`() {
    let ids = Set((0..<100).map { _ in SessionKey.generatedID() })
    #expect(ids.count == 100)
    #expect(ids.allSatisfy { SessionKey.isValid(id: $0) && $0.utf8.count == 26 })
  }
}
