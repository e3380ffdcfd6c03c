import Foundation
import PublicTestData
import Testing

extension GalleryBrowserTests {
  /// Obstacles for screen readers and keyboards, found by axe-core.
  @Suite(.enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
  struct AccessibilityTests {
    let browser: Browser
    let server: ReactordProcess

    init() throws {
      server = try ReactordProcess.shared.get()
      browser = try Browser()
    }

    private static let pages = [
      "/", "/#operations", "/#/chat/a11y", "/#/counter/a11y", "/examples/#chat", "/examples/counter.html",
      "/examples/profile.html", "/examples/weather.html", "/examples/chat.html",
      "/examples/stopwatch.html", "/examples/auction.html", "/examples/order.html",
      "/examples/sealed.html", "/problems/not-found", "/problems/", "/nothing",
      "/inspector/documentation.html",
    ]

    @Test(arguments: pages, Browser.Device.allCases)
    func `axe-core finds no violation`(page: String, device: Browser.Device) throws {
      let room = SessionClient(server.client(), "/v1/reactors/chat/sessions/a11y")
      try room.post(#"[{"join":"Ada"},{"send":{"from":"Ada","text":"Hello"}}]"#)
      for isDark in [false, true] {
        try browser.emulate(device, isDark: isDark)
        try browser.open(server.url + page)
        if page.hasPrefix("/#/") {
          try browser.expect(
            "return document.querySelector('#log').childElementCount + document.querySelectorAll('.node').length > 1",
            is: true)
        }
        try browser.run("document.querySelectorAll('details').forEach((it) => { it.open = true })")
        #expect(try findings() == [], "\(page), \(device.rawValue), dark: \(isDark)")
      }
    }

    /// The rules of axe-core that the page violates, with the violating elements.
    private func findings() throws -> [String] {
      let file = PublicTestData.file(
        "axe_playwright_python/axe.min.js", of: "axe-playwright-python")
      // Scripts of the driver are not subject to the page's Content-Security-Policy.
      try browser.run(
        "if (!window.axe) {\n\(try String(contentsOf: file, encoding: .utf8))\nwindow.axe = axe }")
      let found = try browser.run(
        """
        return axe.run(document, { iframes: false }).then(({ violations }) =>
          violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
            `${id}: ${html.slice(0, 120)} ${failureSummary}`)));
        """)
      return found.array?.compactMap(\.string) ?? ["axe returned nothing"]
    }

    @Test func `the keyboard reaches all controls in reading order`() throws {
      try browser.emulate(.desk)
      try browser.open(server.url + "/#/counter/a11y")
      try browser.expect("return document.querySelector('#session').dataset.status", is: "live")
      try browser.expect("return document.querySelectorAll('#examples button').length", is: 3)
      try browser.run("document.querySelector('#session-title').focus(); window.stops = []")
      for _ in 0..<25 {
        try browser.press(.tab)
        try browser.run(
          "stops.push(document.activeElement.id || document.activeElement.textContent)")
      }
      let stops = try browser.run("return stops").array?.compactMap(\.string) ?? []
      let wanted = ["end", "state", "scrubber", "latest", "case", "field-value", "action"]
      #expect(stops.filter(wanted.contains) == wanted.filter { $0 != "latest" })
    }

    @Test func `an action is sent with the keyboard alone`() throws {
      let session = server.session(of: "counter")
      try browser.open("\(server.url)/#/counter/\(session.id)")
      try browser.expect("return document.querySelector('#session').dataset.status", is: "live")
      try browser.expect("return document.querySelectorAll('#examples button').length", is: 3)
      try browser.run("document.querySelector('#examples button').focus()")
      try browser.press(.space)
      try browser.press(.tab, .tab, .enter)
      #expect(try eventually { try session.state().text == #"{"value":6}"# })
    }

    @Test func `no page is wider than a phone`() throws {
      try browser.emulate(.phone)
      for page in Self.pages {
        try browser.open(server.url + page)
        try browser.expect(
          "return document.documentElement.scrollWidth <= document.documentElement.clientWidth",
          is: true)
      }
    }
  }
}
