import Foundation
import Testing

/// A headless Chromium with a profile of its own.
///
/// Of one thread. It ends with its owner, however a test ends.
final class Browser {
  private let driver: WebDriver
  private let session: String
  private let processID: pid_t?
  private let profile: URL

  /// Starts the browser.
  init() throws {
    driver = try WebDriver()
    profile = FileManager.default.temporaryDirectory
      .appending(component: "reactord-browser-\(UUID().uuidString)")
    let answer = try driver.send("POST", "/session", Self.wishes(profile: profile))
    guard let id = answer["sessionId"]?.string else {
      throw WebDriver.Failure(description: "The browser did not start.")
    }
    session = "/session/" + id
    // The driver is asked to end it; where the tests themselves are ended, nobody asks.
    processID = answer["capabilities"]?["goog:processID"]?.int.flatMap(pid_t.init(exactly:))
    if let processID { LivingProcesses.shared.add(processID) }
  }

  deinit {
    _ = try? driver.send("DELETE", session)
    if let processID { LivingProcesses.shared.remove(processID) }
    try? FileManager.default.removeItem(at: profile)
  }

  private static func wishes(profile: URL) -> JSON {
    let flags = [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--window-size=1280,800", "--user-data-dir=" + profile.path,
    ]
    return [
      "capabilities": [
        "alwaysMatch": [
          "goog:chromeOptions": ["args": .array(flags.map { .string($0) })],
          "goog:loggingPrefs": ["browser": "ALL"],
        ]
      ]
    ]
  }

  // MARK: Windows

  /// Loads an address and waits until it is there.
  func open(_ address: String) throws {
    // An address that differs in its hash only would load nothing.
    _ = try command("POST", "url", ["url": "about:blank"])
    _ = try command("POST", "url", ["url": .string(address)])
  }

  /// Loads the address anew.
  func reload() throws {
    _ = try command("POST", "refresh", [:])
  }

  /// The window that commands go to.
  func window() throws -> String {
    try command("GET", "window").string ?? ""
  }

  /// Opens a window, to which commands then go.
  func openWindow() throws -> String {
    let handle = try command("POST", "window/new", ["type": "window"])["handle"]?.string ?? ""
    try choose(window: handle)
    return handle
  }

  /// Lets commands go to a window.
  func choose(window: String) throws {
    _ = try command("POST", "window", ["handle": .string(window)])
  }

  /// Closes the window that commands go to, and lets them go to another one.
  func closeWindow(andChoose next: String) throws {
    _ = try command("DELETE", "window")
    try choose(window: next)
  }

  /// What the window looks like, as PNG.
  func screenshot() throws -> Data {
    let answer = try development(
      "Page.captureScreenshot", ["format": "png", "captureBeyondViewport": false])
    guard let data = answer["data"]?.string.flatMap({ Data(base64Encoded: $0) }) else {
      throw WebDriver.Failure(description: "There is no picture.")
    }
    return data
  }

  /// What a window is looked at with.
  enum Device: String, CaseIterable {
    case desk, phone
  }

  /// Shows the window as on a device, light or dark.
  func emulate(_ device: Device, isDark: Bool = false) throws {
    let isPhone = device == .phone
    try development(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": isPhone ? 390 : 1440, "height": isPhone ? 844 : 900,
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

  /// Makes the network slow: so many milliseconds to and fro, and so many bytes a second.
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

  // MARK: What is there

  /// Runs the body of a function in the page and gives what it returns.
  @discardableResult
  func run(_ script: String, _ arguments: JSON...) throws -> JSON {
    try command("POST", "execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Waits until a script returns what is wanted.
  func expect(
    _ script: String, is wanted: JSON, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var last: JSON = nil
    _ = try eventually(within: .seconds(30)) {
      last = try run(script)
      return last == wanted
    }
    #expect(last == wanted, sourceLocation: sourceLocation)
  }

  /// What the browser had to complain of since it was last asked: errors and warnings.
  func complaints() throws -> [String] {
    let entries = try command("POST", "se/log", ["type": "browser"]).array ?? []
    return entries.filter { ["SEVERE", "WARNING"].contains($0["level"]?.string) }
      .compactMap { $0["message"]?.string }
  }

  /// Lets every request fail that goes to such an address, as if no server was there.
  func block(_ patterns: String...) throws {
    try development("Network.enable", [:])
    try development("Network.setBlockedURLs", ["urls": .array(patterns.map { .string($0) })])
  }

  /// Sends a command of Chromium's own protocol.
  @discardableResult
  private func development(_ name: String, _ parameters: JSON) throws -> JSON {
    try command("POST", "goog/cdp/execute", ["cmd": .string(name), "params": parameters])
  }

  // MARK: What people do

  /// Clicks what a script returns, when it is there, as a mouse would: what is covered is not hit.
  func click(_ script: String, _ arguments: JSON...) throws {
    let element = try element(script, arguments)
    _ = try command("POST", "element/\(element)/click", [:])
  }

  /// Types into the field that a script returns, in place of what it holds.
  func type(_ text: String, into script: String) throws {
    let element = try element(script, [])
    _ = try command("POST", "element/\(element)/clear", [:])
    _ = try command("POST", "element/\(element)/value", ["text": .string(text)])
  }

  /// Presses keys, wherever the focus is.
  func press(_ keys: Key...) throws {
    let actions: [JSON] = keys.flatMap { key -> [JSON] in
      let value = JSON.string(String(key.rawValue))
      return [["type": "keyDown", "value": value], ["type": "keyUp", "value": value]]
    }
    _ = try command(
      "POST", "actions",
      ["actions": [["type": "key", "id": "keyboard", "actions": .array(actions)]]])
  }

  /// A key as WebDriver names it.
  enum Key: Character {
    case tab = "\u{E004}"
    case enter = "\u{E007}"
    case left = "\u{E012}"
    case right = "\u{E014}"
    case space = "\u{E00D}"
  }

  /// What the protocol calls a reference to an element.
  private static let reference = "element-6066-11e4-a52e-4f735466cecf"

  private func element(_ script: String, _ arguments: [JSON]) throws -> String {
    var element: String?
    let isThere = try eventually(within: .seconds(30)) {
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
    try driver.send(method, "\(session)/\(path)", body)
  }
}
