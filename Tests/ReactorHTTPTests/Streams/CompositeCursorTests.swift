import ReactorHost
import ReactorLog
import ReactorTransport
import Testing

@testable import ReactorHTTP

struct CompositeCursorTests {
  private let text = CompositeCursor.text(
    [("counter/a", "e1", 3), ("counter/b", "e2", 17)].map { name, epoch, version in
      (CompositeCursor.tag(of: name), Cursor(epoch: epoch, version: version))
    })

  @Test func `each session finds its cursor`() throws {
    let cursor = try #require(CompositeCursor(text))
    #expect(cursor.position(of: "counter/a", in: "e1") == .cursor(Cursor(epoch: "e1", version: 3)))
    #expect(cursor.position(of: "counter/b", in: "e2") == .cursor(Cursor(epoch: "e2", version: 17)))
    #expect(cursor.position(of: "counter/c", in: "e1") == .beginning)
  }

  @Test func `a session that was created again finds the cursor of the old one`() throws {
    let cursor = try #require(CompositeCursor(text))
    #expect(cursor.position(of: "counter/a", in: "e9") == .cursor(Cursor(epoch: "e1", version: 3)))
  }

  @Test func `a composite cursor needs no percent-encoding in a URL`() {
    #expect(
      text.utf8.allSatisfy { byte in
        "-._~".utf8.contains(byte) || Character(UnicodeScalar(byte)).isLetter
          || Character(UnicodeScalar(byte)).isNumber
      })
  }

  @Test(
    arguments: [
      "", "x", "e1-3", "~", "abcde", "abcde.", "abcde.x", "abcde.e-1~", "~abcde.e-1",
      "abcdef.e-1", "abcde.e-1 ", "abcde.e-1~abcde", "éééééé.e-1",
      String(repeating: "~", count: 4000),
    ])
  func `rejects text that is not a cursor`(text: String) {
    #expect(CompositeCursor(text) == nil)
  }

  @Test func `sessions with colliding tags find their own cursors`() throws {
    let tag = CompositeCursor.tag(of: "counter/a")
    let cursor = try #require(CompositeCursor("\(tag).other-9~\(tag).mine-4"))
    #expect(
      cursor.position(of: "counter/a", in: "mine") == .cursor(Cursor(epoch: "mine", version: 4)))
  }
}
