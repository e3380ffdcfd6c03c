import Foundation
import Testing

extension ClientBrowserTests {
  /// The complete pages of the guide: in the folder of the service, and at an origin of its own.
  struct CompletePageTests {
    private func pages() throws -> [String] {
      try Guide("Sources/Server/ReactorService/Documentation.docc/BindAPage.md").blocks
        .filter { $0.language == "html" }.map(\.code)
    }

    private func expectCounts(_ browser: Browser) throws {
      let shown = "return document.querySelector('output').textContent"
      try browser.expect(shown, is: "0")
      try browser.click("return document.querySelector('button')")
      try browser.expect(shown, is: "1")
      let complaints = try browser.complaints()
      #expect(complaints == [])
    }

    @Test func `the service serves the page, and the inspector beside it`() throws {
      let browser = try Browser()
      let folder = try TemporaryFolder()
      try pages()[0].write(toFile: folder["index.html"], atomically: true, encoding: .utf8)
      let server = try ReactordProcess("--pages", folder.path)
      try browser.open(server.url + "/")
      try expectCounts(browser)
      try browser.open(server.url + "/inspector/#/counter/demo")
      try browser.expect("return document.querySelector('#session').dataset.status", is: "live")
    }

    @Test func `the page of a new package adds and finishes items`() throws {
      let browser = try Browser()
      let pages = Guide.root.appending(path: "Tests/Examples/NewPackage/public").path
      let server = try ReactordProcess(
        "--store", "memory", "--pages", pages, program: "todo")
      try browser.open(server.url + "/")
      try browser.type("Buy milk", into: "return document.querySelector('input')")
      try browser.click("return document.querySelector('form button')")
      try browser.expect("return document.querySelector('li')?.className ?? null", is: "")
      try browser.click("return document.querySelector('li button')")
      try browser.expect("return document.querySelector('li')?.className ?? null", is: "done")
      #expect(try browser.complaints() == [])
    }

    @Test func `a page of another origin shows the State and counts`() throws {
      let browser = try Browser()
      let folder = try TemporaryFolder()
      let files = try FileServer(of: folder.path)
      let server = try ReactordProcess("--cors-origins", files.url)
      try pages()[1].replacing("http://127.0.0.1:8080", with: server.url)
        .write(toFile: folder["page.html"], atomically: true, encoding: .utf8)
      try browser.open(files.url + "/page.html")
      try expectCounts(browser)
      let id = try browser.run(
        "return import(arguments[0]).then(({ sessionID }) => sessionID('auth0|é..~'))",
        .string(server.url + "/reactor.js"))
      #expect(id == "auth0~7C~C3~A9..~7E")
    }
  }
}
