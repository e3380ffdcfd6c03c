import ClientCore
import Testing

struct SessionCursorTests {
  @Test(arguments: [
    "a-7", #""a-7""#, #"W/"a-7""#, #""a-7+gzip""#, #"W/"a-7-gzip""#, " a-7 ", "a-7+gzip",
  ])
  func `a cursor is read in every form in which it is written`(text: String) {
    #expect(SessionCursor(text) == SessionCursor(epoch: "a", version: 7))
    let head = TransportHead(status: 200, fields: [(name: "ETag", value: text)])
    #expect(head.cursor == SessionCursor(epoch: "a", version: 7))
  }

  @Test(arguments: ["", "a", "a-", "-7", "a-b", "gzip", "+gzip", "a-7+x"])
  func `other text is no cursor`(text: String) {
    #expect(SessionCursor(text) == nil)
  }
}
