import Foundation
import Testing

/// A new window of a headless Chromium, and all windows that it opens.
///
/// Confined to one thread. The browser process comes from `BrowserPool` and returns to it at the end of
/// the test, since starting one takes longer than most tests.
final class Browser {
  private let chromium: Chromium

  /// Opens a window without history, session storage or emulation.
  init() throws {
    chromium = try BrowserPool.shared.take()
    try reset()
  }

  deinit {
    BrowserPool.shared.put(chromium)
  }

  /// Replaces all windows with a new one: storage, emulation and blocked addresses belong to a window.
  private func reset() throws {
    let old = try command("GET", "window/handles").array ?? []
    let new = try openWindow()
    for handle in old.compactMap(\.string) {
      try choose(window: handle)
      _ = try command("DELETE", "window")
    }
    try choose(window: new)
    _ = try complaints()
  }

  // MARK: Windows

  /// Loads an address.
  func open(_ address: String) throws {
    // Without this, an address that differs only in its hash would not be loaded.
    _ = try command("POST", "url", ["url": "about:blank"])
    _ = try command("POST", "url", ["url": .string(address)])
  }

  /// Reloads the page.
  func reload() throws {
    _ = try command("POST", "refresh", [:])
  }

  /// The handle of the current window.
  func window() throws -> String {
    try command("GET", "window").string ?? ""
  }

  /// Opens a window and switches to it.
  func openWindow() throws -> String {
    let handle = try command("POST", "window/new", ["type": "window"])["handle"]?.string ?? ""
    try choose(window: handle)
    return handle
  }

  /// Switches to a window.
  func choose(window: String) throws {
    _ = try command("POST", "window", ["handle": .string(window)])
  }

  /// Closes the current window and switches to another one.
  func closeWindow(andChoose next: String) throws {
    _ = try command("DELETE", "window")
    try choose(window: next)
  }

  /// A screenshot of the window as PNG.
  func screenshot() throws -> Data {
    let response = try development(
      "Page.captureScreenshot", ["format": "png", "captureBeyondViewport": false])
    guard let data = response["data"]?.string.flatMap({ Data(base64Encoded: $0) }) else {
      throw WebDriver.Failure(description: "There is no picture.")
    }
    return data
  }

  /// A device that a window emulates.
  enum Device: String, CaseIterable {
    case desk, phone
  }

  /// Emulates a device in the light or dark colour scheme.
  func emulate(_ device: Device, isDark: Bool = false) throws {
    let isPhone = device == .phone
    try development(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": isPhone ? 375 : 1440, "height": isPhone ? 812 : 900,
        "deviceScaleFactor": isPhone ? 2 : 1, "mobile": .bool(isPhone),
      ])
    try development(
      "Emulation.setEmulatedMedia",
      [
        "features": [
          ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"],
          ["name": "prefers-reduced-motion", "value": "reduce"],
        ]
      ])
  }

  /// Slows down the network: the round trip in milliseconds, and the throughput.
  func slowDown(latency: Int, bytesPerSecond: Int) throws {
    try development("Network.enable", [:])
    try development(
      "Network.emulateNetworkConditions",
      [
        "offline": false, "latency": .number(Double(latency)),
        "downloadThroughput": .number(Double(bytesPerSecond)),
        "uploadThroughput": .number(Double(bytesPerSecond)),
      ])
  }

  // MARK: Inspection

  /// Executes the body of a function in the page and returns its result.
  @discardableResult
  func run(_ script: String, _ arguments: JSON...) throws -> JSON {
    try command("POST", "execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Waits until a script returns a value.
  func expect(
    _ script: String, is expected: JSON, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var last: JSON = nil
    _ = try eventually {
      last = try run(script)
      return last == expected
    }
    #expect(last == expected, sourceLocation: sourceLocation)
  }

  /// The errors and warnings that the browser has logged since the last call.
  func complaints() throws -> [String] {
    let entries = try command("POST", "se/log", ["type": "browser"]).array ?? []
    return entries.filter { ["SEVERE", "WARNING"].contains($0["level"]?.string) }
      .compactMap { $0["message"]?.string }
  }

  /// Fails all requests to matching addresses, as if there were no server.
  func block(_ patterns: String...) throws {
    try development("Network.enable", [:])
    try development("Network.setBlockedURLs", ["urls": .array(patterns.map { .string($0) })])
  }

  /// Sends a command of the Chrome DevTools Protocol.
  @discardableResult
  func development(_ name: String, _ parameters: JSON) throws -> JSON {
    try command("POST", "goog/cdp/execute", ["cmd": .string(name), "params": parameters])
  }

  // MARK: Input

  /// Clicks the element that a script returns, as soon as it exists.
  ///
  /// A covered element is not clicked.
  func click(_ script: String, _ arguments: JSON...) throws {
    let element = try element(script, arguments)
    _ = try command("POST", "element/\(element)/click", [:])
  }

  /// Replaces the text of the field that a script returns.
  func type(_ text: String, into script: String) throws {
    let element = try element(script, [])
    _ = try command("POST", "element/\(element)/clear", [:])
    _ = try command("POST", "element/\(element)/value", ["text": .string(text)])
  }

  /// Presses keys in the focused element.
  func press(_ keys: Key...) throws {
    let actions: [JSON] = keys.flatMap { key -> [JSON] in
      let value = JSON.string(String(key.rawValue))
      return [["type": "keyDown", "value": value], ["type": "keyUp", "value": value]]
    }
    _ = try command(
      "POST", "actions",
      ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
  }

  /// A key, by its code point in WebDriver.
  enum Key: Character {
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case left = "\u{E012}"
    case right = "\u{E014}"
    case escape = "\u{E00C}"
    case space = "\u{E00D}"
  }

  /// The key of an element reference in the protocol.
  private static let reference = "element-6066-11e4-a52e-4f735466cecf"

  private func element(_ script: String, _ arguments: [JSON]) throws -> String {
    var element: String?
    let isThere = try eventually {
      let found = try command(
        "POST", "execute/sync", ["script": .string(script), "args": .array(arguments)])
      element = found[Self.reference]?.string
      return element != nil
    }
    guard isThere, let element else {
      throw WebDriver.Failure(description: "The page has no such element: \(script)")
    }
    return element
  }

  private func command(_ method: String, _ path: String, _ body: JSON? = nil) throws -> JSON {
    try chromium.send(method, path, body)
  }
}
