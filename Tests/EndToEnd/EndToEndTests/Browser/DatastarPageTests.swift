import Foundation
import PublicTestData
import Testing

extension ClientBrowserTests {
  /// The page of the guide with the Datastar client, on a server of its own.
  @Suite(.enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
  struct DatastarPageTests {
    private let browser: Browser
    private let folder: TemporaryFolder
    private let files: FileServer

    init() throws {
      browser = try Browser()
      folder = try TemporaryFolder()
      files = try FileServer(of: folder.path)
    }

    /// Opens the page of the guide for a service at another origin.
    private func open(_ service: String) throws {
      for name in ["datastar.js", "datastar-core.js"] {
        let file = PublicTestData.file("starhtml/static/js/\(name)", of: "starhtml")
        try FileManager.default.copyItem(atPath: file.path, toPath: folder[name])
      }
      let guide = try Guide("Sources/Server/ReactorHTTP/Documentation.docc/Datastar.md")
      let page = try #require(guide.blocks.first { $0.language == "html" }).code
        .replacing("/js/datastar.js", with: "/datastar.js")
        .replacing("'/v1/", with: "'\(service)/v1/")
      try ("<!doctype html>\n<title>Datastar</title>\n" + page)
        .write(toFile: folder["page.html"], atomically: true, encoding: .utf8)
      try browser.open(files.url + "/page.html")
      try browser.run("window.isSamePage = true")
    }

    private func click() throws {
      try browser.click("return document.querySelector('button')")
    }

    private func expect(
      _ value: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      try browser.expect(
        "return document.querySelector('output').textContent", is: .string("\(value)"),
        sourceLocation: sourceLocation)
    }

    @Test func `the page counts, and continues after a kill with the clicks of the outage`() throws
    {
      let store = "sqlite:" + folder["log.db"]
      let port = try ReservedPort()
      let flags = ["--listen", port.address, "--store", store, "--cors-origins", files.url]
      let server = try ReactordProcess(flags)
      try open(server.url)
      try expect(0)
      try click()
      try expect(2)
      // Two clicks without a pause are two actions.
      try click()
      try click()
      try expect(6)
      server.process.kill()
      try server.process.wait()
      try click()
      try click()
      let next = try ReactordProcess(flags)
      try expect(10)
      let session = SessionClient(next.client(), "/v1/reactors/counter/sessions/demo")
      #expect(try session.state().cursor?.version == 5)
      try session.post(#""increase""#)
      try expect(11)
      #expect(try browser.run("return window.isSamePage") == true)
    }
  }
}
