import Foundation
import Testing

extension ClientBrowserTests {
  /// The complete page of the guide, at an origin of its own.
  struct CompletePageTests {
    @Test func `the page shows the State and counts`() throws {
      let browser = try Browser()
      let folder = try TemporaryFolder()
      let files = try FileServer(of: folder.path)
      let server = try ReactordProcess("--cors-origins", files.url)
      let guide = try Guide("Sources/Server/ReactorService/Documentation.docc/BindAPage.md")
      try #require(guide.blocks.first { $0.language == "html" }).code
        .replacing("http://127.0.0.1:8080", with: server.url)
        .write(toFile: folder["page.html"], atomically: true, encoding: .utf8)
      try browser.open(files.url + "/page.html")
      let shown = "return document.querySelector('output').textContent"
      try browser.expect(shown, is: "0")
      try browser.click("return document.querySelector('button')")
      try browser.expect(shown, is: "1")
      let complaints = try browser.complaints()
      #expect(complaints == [])
      let id = try browser.run(
        "return import(arguments[0]).then(({ sessionID }) => sessionID('auth0|é..~'))",
        .string(server.url + "/reactor.js"))
      #expect(id == "auth0~7C~C3~A9..~7E")
    }
  }
}
