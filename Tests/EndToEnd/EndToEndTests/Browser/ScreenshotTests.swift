import Foundation
import Testing

extension GalleryBrowserTests {
  /// `make screenshots`: pictures of all pages, for review.
  @Suite(
    .enabled(
      if: ProcessInfo.processInfo.environment["SCREENSHOTS"] != nil, "make screenshots takes them"))
  struct ScreenshotTests {
    static let folder = ProcessInfo.processInfo.environment["SCREENSHOTS"]

    let browser: Browser
    let server: ReactordProcess

    init() throws {
      server = try ReactordProcess(
        "--pages", Guide.root.appending(path: "config/tour").path)
      browser = try Browser()
    }

    /// Creates sessions with a history.
    private func live() throws {
      let counter = SessionClient(server.client(), "/v1/reactors/counter/sessions/demo")
      for step in 1...40 { try counter.post(#"{"add":\#(step % 7 - 2)}"#) }
      let room = SessionClient(server.client(), "/v1/reactors/chat/sessions/demo")
      try room.post(#"[{"join":"Ada"},{"join":"Grace"}]"#)
      for (name, text) in [
        ("Ada", "Good morning!"), ("Grace", "Hello Ada. Did it compile?"),
        ("Ada", "At the first attempt."), ("Grace", "Then something is wrong with the tests."),
      ] {
        try room.post(#"{"send":{"from":"\#(name)","text":"\#(text)"}}"#)
      }
      try room.post(#"[{"send":{"from":"Eve","text":"Hello?"}},{"join":" "}]"#)
      try room.post(#"{"join":" "}"#)
      for number in 1...12 {
        let other = SessionClient(server.client(), "/v1/reactors/chat/sessions/room-\(number)")
        let join = #"{"join":"Ada"},{"leave":"Ada"}"#
        try other.post("[" + Array(repeating: join, count: number).joined(separator: ",") + "]")
      }
      let weather = SessionClient(server.client(), "/v1/reactors/weather/sessions/demo")
      try weather.post(#"{"search":"Seoul"}"#)
      let watch = SessionClient(server.client(), "/v1/reactors/stopwatch/sessions/demo")
      try watch.post(#""start""#, ["Prefer": "respond-async"])
    }

    private func take(_ name: String) throws {
      guard let folder = Self.folder else { return }
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try browser.screenshot().write(to: URL(filePath: folder).appending(path: name + ".png"))
    }

    @Test(arguments: Browser.Device.allCases, [false, true])
    func `screenshots are written`(device: Browser.Device, isDark: Bool) throws {
      try live()
      try browser.emulate(device, isDark: isDark)
      let suffix = "-\(device.rawValue)-\(isDark ? "dark" : "light")"
      let live = "return document.querySelector('#session').dataset.status"
      try browser.open(server.url + "/")
      try browser.expect("return document.querySelector('#connection').textContent", is: "live")
      try take("tour" + suffix)
      try browser.open(server.url + "/inspector/")
      try browser.expect("return document.querySelectorAll('#reactors a').length > 0", is: true)
      try browser.expect("return document.querySelectorAll('#sessions li').length > 0", is: true)
      try take("home" + suffix)
      try browser.open(server.url + "/inspector/#operations")
      try browser.expect("return document.querySelectorAll('#errors li').length > 0", is: true)
      try browser.expect("return document.querySelectorAll('.line[d^=M]').length > 0", is: true)
      try take("operations" + suffix)
      try browser.run("document.querySelector('#errors-title').scrollIntoView()")
      try take("operations-end" + suffix)
      for (name, path) in [
        ("documentation", "/inspector/documentation.html"), ("problems", "/problems/"),
        ("problem", "/problems/invalid-action"), ("nothing", "/nothing"),
      ] {
        try browser.open(server.url + path)
        try take(name + suffix)
      }
      for name in ["counter", "chat", "stopwatch"] {
        try browser.open("\(server.url)/inspector/#/\(name)/demo")
        try browser.expect(live, is: "live")
        try browser.expect("return document.querySelectorAll('#log button').length > 0", is: true)
        try browser.expect(
          "return document.querySelectorAll('.line[d^=M]').length > 0", is: true)
        try take(name + suffix)
        guard name == "chat" else { continue }
        if device == .phone {
          try browser.run("document.querySelector('#tabs [data-tab=timeline]').click()")
        }
        try browser.run(
          """
          document.querySelector('#log [data-version="4"] button').click();
          """)
        try browser.expect(
          "return document.querySelector('#moment').childElementCount > 2", is: true)
        try take("chat-past" + suffix)
        try browser.expect("return document.querySelectorAll('#sessions li').length", is: 13)
        if device == .desk {
          try browser.run("document.querySelector('#sessions-title').scrollIntoView()")
          try take("chat-sessions" + suffix)
        }
        guard device == .phone else { continue }
        for tab in ["actions", "more"] {
          try browser.run("document.querySelector('#tabs [data-tab=\(tab)]').click()")
          try take("chat-\(tab)" + suffix)
        }
      }
      for name in [
        "counter", "profile", "weather", "chat", "stopwatch", "auction", "sealed", "order",
      ] {
        try browser.open("\(server.url)/examples/#\(name)")
        try browser.expect("return document.querySelectorAll('#source code').length", is: 2)
        try browser.expect(
          """
          return [...document.querySelectorAll('iframe')].every(({ contentDocument }) =>
            !contentDocument?.body.textContent.includes('connecting'))
          """, is: true)
        try take("example-\(name)" + suffix)
      }
    }
  }
}
