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
      server = try Self.shared.get()
      browser = try Browser()
    }

    /// A service that serves the page of the tour at its start, and the inspector at `/inspector/`.
    private static let shared = Result {
      try ReactordProcess("--pages", Guide.root.appending(path: "config/tour").path)
    }

    private static let pages = [
      "/", "/inspector/", "/inspector/#operations", "/inspector/#/chat/a11y",
      "/inspector/#/counter/a11y", "/examples/#chat", "/examples/counter.html",
      "/examples/profile.html", "/examples/weather.html", "/examples/chat.html",
      "/examples/stopwatch.html", "/examples/auction.html", "/examples/order.html",
      "/examples/sealed.html", "/problems/not-found", "/problems/", "/nothing",
      "/inspector/documentation.html",
    ]

    @Test(arguments: pages, Browser.Device.allCases)
    func `axe-core finds no violation, nothing moves, and no page is wider than a phone`(
      page: String, device: Browser.Device
    ) throws {
      let room = SessionClient(server.client(), "/v1/reactors/chat/sessions/a11y")
      try room.post(#"[{"join":"Ada"},{"send":{"from":"Ada","text":"Hello"}}]"#)
      // Each page in both themes and both sizes, not in all four combinations.
      let isDark = device == .phone
      try browser.emulate(device, isDark: isDark)
      try browser.open(server.url + page)
      if page.hasPrefix("/inspector/#/") {
        try browser.expect(
          "return document.querySelector('#log').childElementCount + document.querySelectorAll('.node').length > 1",
          is: true)
      }
      if device == .desk {
        try waitForControls()
        #expect(try moving() == [], "\(page)")
      } else {
        try browser.expect(
          "return document.documentElement.scrollWidth <= document.documentElement.clientWidth",
          is: true)
      }
      try browser.run("document.querySelectorAll('details').forEach((it) => { it.open = true })")
      #expect(try findings() == [], "\(page), \(device.rawValue), dark: \(isDark)")
    }

    /// The elements that move although the browser prefers reduced motion.
    private func moving() throws -> JSON {
      try browser.run(
        """
        const isMoving = ({ animationName, transitionDuration, scrollBehavior }) =>
          animationName !== 'none' || parseFloat(transitionDuration) > 0 || scrollBehavior === 'smooth';
        return [...document.querySelectorAll('*')].flatMap((it) =>
          ['', '::before', '::after'].filter((part) => isMoving(getComputedStyle(it, part)))
            .map((part) => it.outerHTML.slice(0, 80) + part));
        """)
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
      try browser.open(server.url + "/inspector/#/counter/a11y")
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

    /// The controls that are visible.
    private static let controls = """
      [...document.querySelectorAll(
        'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, iframe, [tabindex="0"]')]
        .filter((it) => it.checkVisibility() && !it.closest('.skip'))
      """

    @Test(arguments: pages)
    func `the keyboard reaches every control, which has a name and a visible focus`(
      page: String
    ) throws {
      try browser.emulate(.desk)
      try browser.open(server.url + page)
      try waitForControls()
      try browser.run(
        """
        window.reached = new Set(); window.invisible = new Set(); document.activeElement.blur();
        document.getSelection().setPosition(document.body, 0);
        """)
      // Beside the controls there are lists that scroll, and the controls inside a frame.
      var stops = try browser.run("return \(Self.controls).length").int ?? 0
      stops = 2 * stops + 20
      for _ in 0..<stops {
        try browser.press(.tab)
        let isEnd = try browser.run(
          """
          const it = document.activeElement;
          if (it === document.body) return reached.size > 0;
          const { outlineStyle, outlineWidth } = getComputedStyle(it);
          const isVisible = it.tagName === 'IFRAME'
            || outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && it.checkVisibility();
          if (!isVisible) invisible.add(it.outerHTML.slice(0, 120));
          reached.add(it);
          return false;
          """)
        if isEnd == true { break }
      }
      let missed = try browser.run(
        """
        return \(Self.controls).filter((it) => !reached.has(it))
          .map((it) => it.outerHTML.slice(0, 120));
        """)
      #expect(missed == [], "\(page)")
      #expect(try browser.run("return [...invisible]") == [], "\(page)")
      #expect(try unnamed() == [], "\(page)")
    }

    /// Waits until the controls of the page are the same twice in a row.
    private func waitForControls() throws {
      var last = JSON.null
      _ = try eventually {
        let now = try browser.run("return \(Self.controls).map((it) => it.outerHTML.length)")
        defer { last = now }
        return now == last && now.array?.isEmpty == false
      }
    }

    /// The focusable nodes without a name in the accessibility tree of Chromium.
    private func unnamed() throws -> [String] {
      let nodes =
        try browser.development("Accessibility.getFullAXTree", [:])["nodes"]?.array ?? []
      #expect(nodes.count > 3)
      return nodes.compactMap { node in
        let isFocusable = node["properties"]?.array?.contains {
          $0["name"] == "focusable" && $0["value"]?["value"] == true
        }
        let role = node["role"]?["value"]?.string ?? ""
        guard isFocusable == true, node["ignored"] != true,
          node["name"]?["value"]?.string ?? "" == "",
          // The document, lists that scroll, and what takes the focus by a script only.
          !["RootWebArea", "generic", "list", "main", "paragraph"].contains(role)
        else { return nil }
        return "\(role) without a name"
      }
    }

    @Test func `an action is sent with the keyboard alone`() throws {
      let session = server.session(of: "counter")
      try browser.open("\(server.url)/inspector/#/counter/\(session.id)")
      try browser.expect("return document.querySelector('#session').dataset.status", is: "live")
      try browser.expect("return document.querySelectorAll('#examples button').length", is: 3)
      try browser.run("document.querySelector('#examples button').focus()")
      try browser.press(.space)
      try browser.press(.tab, .tab, .enter)
      #expect(try eventually { try session.state().text == #"{"value":6}"# })
    }
  }
}
