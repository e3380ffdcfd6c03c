import Foundation
import PublicTestData
import Testing

extension BrowserTests {
  /// What a screen reader or a keyboard would stumble over, as axe-core finds it.
  @Suite(.enabled(if: PublicTestData.isInstalled, "\(PublicTestData.isMissing)"))
  struct AccessibilityTests {
    let browser: Browser
    let server: ReactordProcess

    init() throws {
      server = try ReactordProcess.shared.get()
      browser = try Browser()
    }

    private static let pages = [
      "/", "/#/chat/a11y", "/#/counter/a11y", "/examples/#chat", "/examples/counter.html",
      "/examples/profile.html", "/examples/weather.html", "/examples/chat.html",
      "/examples/stopwatch.html", "/problems/not-found",
    ]

    @Test(arguments: pages, Browser.Device.allCases)
    func `a page has nothing that shuts somebody out`(page: String, device: Browser.Device) throws {
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
        #expect(try findings() == [], "\(page), \(device.rawValue), dark: \(isDark)")
      }
    }

    /// What axe-core objects to: its rules, and where.
    private func findings() throws -> [String] {
      let file = PublicTestData.file(
        "axe_playwright_python/axe.min.js", of: "axe-playwright-python")
      // It runs outside of the page's own policy, as whatever the driver runs.
      try browser.run(
        "if (!window.axe) {\n\(try String(contentsOf: file, encoding: .utf8))\nwindow.axe = axe }")
      let found = try browser.run(
        """
        return axe.run(document, { iframes: false }).then(({ violations }) =>
          violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
            `${id}: ${html.slice(0, 120)} ${failureSummary}`)));
        """)
      return found.array?.compactMap(\.string) ?? ["axe gave nothing"]
    }

    @Test func `the keyboard reaches everything, in the order of reading`() throws {
      try browser.emulate(.desk)
      try browser.open(server.url + "/#/counter/a11y")
      try browser.expect("return document.querySelector('#session').dataset.status", is: "live")
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

    @Test func `nothing is wider than a phone`() throws {
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
