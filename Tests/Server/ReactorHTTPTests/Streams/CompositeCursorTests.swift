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
    #expect(cursor.position(in: "e1", of: "counter/a") == .cursor(Cursor(epoch: "e1", version: 3)))
    #expect(cursor.position(in: "e2", of: "counter/b") == .cursor(Cursor(epoch: "e2", version: 17)))
    #expect(cursor.position(in: "e1", of: "counter/c") == .beginning)
  }

  @Test func `a session that was created again finds the cursor of the old one`() throws {
    let cursor = try #require(CompositeCursor(text))
    #expect(cursor.position(in: "e9", of: "counter/a") == .cursor(Cursor(epoch: "e1", version: 3)))
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
      "", "x", "~", "abcde", "abcde.", "abcde.x", "abcde.e-1~", "~abcde.e-1", "abcde.e-1~abcde",
      "éééééé.e-1", "abcdef.e-x",
      String(repeating: "~", count: 4000),
    ])
  func `rejects text that is not a cursor`(text: String) {
    #expect(CompositeCursor(text) == nil)
  }

  @Test func `sessions with colliding tags find their own cursors`() throws {
    let tag = CompositeCursor.tag(of: "counter/a")
    let cursor = try #require(CompositeCursor("\(tag).other-9~\(tag).mine-4"))
    #expect(
      cursor.position(in: "mine", of: "counter/a") == .cursor(Cursor(epoch: "mine", version: 4)))
  }

  @Test func `a cursor without a tag is that of the session with its epoch`() throws {
    let cursor = try #require(CompositeCursor("e1-3"))
    #expect(cursor.position(in: "e1", of: "counter/a") == .cursor(Cursor(epoch: "e1", version: 3)))
    // A client that has another history is reset.
    #expect(cursor.position(in: "e2", of: "counter/a") == .cursor(Cursor(epoch: "e1", version: 3)))
    let dotted = try #require(CompositeCursor("abcde.e-3"))
    let whole = Cursor(epoch: "abcde.e", version: 3)
    #expect(dotted.position(in: "abcde.e", of: nil) == .cursor(whole))
    #expect(dotted.position(in: "abcde.e", of: "counter/a") == .cursor(whole))
  }

  @Test func `a stream of one session resumes after the id of several`() throws {
    let cursor = try #require(CompositeCursor(text))
    #expect(cursor.position(in: "e2", of: nil) == .cursor(Cursor(epoch: "e2", version: 17)))
    guard case .cursor = cursor.position(in: "e9", of: nil) else {
      Issue.record("a client that has another history is new")
      return
    }
  }
}
