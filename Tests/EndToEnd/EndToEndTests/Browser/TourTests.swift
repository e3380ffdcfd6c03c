import Foundation
import Testing

extension GalleryBrowserTests {
  /// `make try`: the five steps of the tour.
  struct TourTests {
    private let browser: Browser
    private let program: ChildProcess
    private let address: URL

    init() throws {
      browser = try Browser()
      let program = try ChildProcess(
        Guide.root.appending(path: "config/try").path, [try ReactordProcess.path(), "127.0.0.1:0"])
      var found: URL?
      _ = eventually {
        found = program.standardOutput.split(separator: "\n").lazy
          .compactMap { URL(string: $0.trimmingCharacters(in: .whitespaces)) }
          .first { $0.scheme == "http" }
        return found != nil
      }
      self.program = program
      address = try #require(found, "\(program.standardError)")
    }

    private func expect(_ text: String, of step: String) throws {
      let shown = "document.querySelector('#\(step) .result').textContent"
      try browser.expect("return \(shown).includes(\"\(text)\")", is: true)
    }

    @Test func `act, watch, kill, scrub and fork`() throws {
      try browser.open(address.absoluteString)
      let first = try browser.window()
      try browser.expect("return document.querySelector('#connection').textContent", is: "live")
      let value = "return document.querySelector('#value').textContent"
      for index in [0, 2] {
        try browser.click("return document.querySelectorAll('#act button')[\(index)]")
      }
      try expect("is committed, at version 2", of: "act")
      try browser.expect(value, is: "6")

      let copy = try browser.run("return document.querySelector('#second').href").string ?? ""
      let second = try browser.openWindow()
      try browser.open(copy)
      try browser.expect(value, is: "6")
      try browser.click("return document.querySelector('#act button')")
      try browser.expect(value, is: "7")
      try browser.choose(window: first)
      try browser.expect(value, is: "7")
      try expect("2 tabs show this session now.", of: "watch")
      try browser.choose(window: second)
      try browser.closeWindow(andChoose: first)

      try browser.click("return document.querySelector('#kill-button')")
      try expect("and the State is still 7.", of: "kill")
      try browser.expect("return document.querySelector('#connection').textContent", is: "live")
      try browser.click("return document.querySelector('#act button')")
      try browser.expect(value, is: "8")

      try browser.run("document.querySelector('#scrubber').focus()")
      try browser.press(.left, .left)
      try expect(#"Version 2 was {\"value\":6}, after {\"add\":5}."#, of: "scrub")
      try browser.click("return document.querySelector('#fork-button')")
      try expect(#"The fork begins with {\"value\":6}"#, of: "fork")
      try browser.expect(
        "return [...document.querySelectorAll('#steps > li.done')].map(({ id }) => id)",
        is: ["act", "watch", "kill", "scrub", "fork"])
      try browser.click("return document.querySelector('#fork .result a')")
      try browser.expect(value, is: "6")
    }

    @Test func `only the page of the tour can kill the service`() throws {
      let parts = try #require(address.fragment).split(separator: "/")
      let client = HTTPClient(port: try #require(UInt16(parts[0])))
      let origin = "http://127.0.0.1:\(try #require(address.port))"
      for (path, origin) in [
        ("/\(parts[1])", "http://127.0.0.1:1"), ("/guessed", origin), ("/", origin),
      ] {
        #expect(try client.send("POST", path, ["Origin": origin]).status == 403)
      }
      // Without the secret in its address, the page does not offer it.
      try browser.open(origin + "/")
      try browser.expect("return document.querySelector('#kill-button').disabled", is: true)
      try expect("make try", of: "kill")
    }

    @Test func `its end ends the service`() throws {
      let client = HTTPClient(port: UInt16(try #require(address.port)))
      #expect(try client.get("/healthz").status == 200)
      program.signal(SIGTERM)
      #expect(try program.wait() == .code(143))
      #expect(throws: (any Error).self) {
        try HTTPClient(port: UInt16(try #require(address.port))).get("/healthz")
      }
    }
  }
}
