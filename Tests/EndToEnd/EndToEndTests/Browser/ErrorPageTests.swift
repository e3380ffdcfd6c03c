import Testing

extension GalleryBrowserTests {
  /// Pages for addresses without content.
  struct ErrorPageTests {
    private let server: ReactordProcess

    init() throws {
      server = try ReactordProcess.shared.get()
    }

    @Test(arguments: ["/nothing", "/examples/nothing.html", "/v1/nothing", "/problems/not-found"])
    func `the page links to the start page`(path: String) throws {
      let browser = try Browser()
      try browser.open(server.url + path)
      try browser.expect("return document.querySelector('h1').textContent", is: "Nothing here")
      try browser.click(
        "return [...document.querySelectorAll('main a')].find((link) => link.textContent === 'To the start page')"
      )
      try browser.expect("return location.pathname", is: "/")
      try browser.expect("return document.querySelectorAll('#reactors a').length", is: 11)
    }

    @Test func `other clients receive a problem`() throws {
      for accept in ["*/*", "application/json", "application/problem+json, text/html;q=0.5"] {
        try expectProblem(
          try server.client().get("/nothing", ["Accept": accept]), 404, "not-found")
      }
      try expectProblem(
        try server.client().send("POST", "/nothing", ["Accept": "text/html"]), 404, "not-found")
      let page = try server.client().get("/nothing", ["Accept": "text/html,*/*;q=0.8"])
      #expect(page.status == 404)
      #expect(page["Content-Type"] == "text/html; charset=utf-8")
      #expect(page["Cache-Control"] == "no-store")
    }

    @Test func `there is an icon at the address that browsers request`() throws {
      let icon = try server.client().get("/favicon.ico")
      #expect(icon.status == 200)
      #expect(icon["Content-Type"] == "image/svg+xml")
      #expect(icon.text.hasPrefix("<svg"))
    }
  }
}
