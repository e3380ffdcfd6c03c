import Foundation
import Synchronization

/// A headless Chromium with a profile of its own.
///
/// Confined to one thread at a time. The process ends with its owner, and with the tests.
final class Chromium {
  private let driver: WebDriver
  private let session: String
  private let processID: pid_t?
  private let profile: URL

  /// Starts the browser.
  init() throws {
    driver = try WebDriver()
    profile = FileManager.default.temporaryDirectory
      .appending(component: "reactord-browser-\(UUID().uuidString)")
    let reply = try driver.send("POST", "/session", Self.capabilities(profile: profile))
    guard let id = reply["sessionId"]?.string else {
      throw WebDriver.Failure(description: "The browser did not start.")
    }
    session = "/session/" + id
    // The driver ends the browser in `deinit`. If the tests are killed, `LivingProcesses` ends it.
    processID = reply["capabilities"]?["goog:processID"]?.int.flatMap(pid_t.init(exactly:))
    if let processID { LivingProcesses.shared.add(processID) }
  }

  deinit {
    _ = try? driver.send("DELETE", session)
    if let processID { LivingProcesses.shared.remove(processID) }
    try? FileManager.default.removeItem(at: profile)
  }

  /// Sends a command of the session.
  func send(_ method: String, _ path: String, _ body: JSON? = nil) throws -> JSON {
    try driver.send(method, "\(session)/\(path)", body)
  }

  private static func capabilities(profile: URL) -> JSON {
    let flags = [
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--window-size=1280,800", "--user-data-dir=" + profile.path,
    ]
    return [
      "capabilities": [
        "alwaysMatch": [
          "goog:chromeOptions": ["args": .array(flags.map { .string($0) })],
          "goog:loggingPrefs": ["browser": "ALL"],
          "timeouts": ["script": 300_000, "pageLoad": 300_000],
        ]
      ]
    ]
  }
}

/// The browser processes that no test is using.
///
/// Their number is at most the number of concurrent tests with a browser, see `BrowserTrait`.
final class BrowserPool: Sendable {
  static let shared = BrowserPool()

  private let idle = Mutex<[Idle]>([])

  private init() {
    // The `atexit` handler of LivingProcesses kills the processes. This one removes their profiles.
    atexit { BrowserPool.shared.idle.withLock { $0.removeAll() } }
  }

  /// An idle browser, or a new one.
  func take() throws -> Chromium {
    try idle.withLock { $0.popLast() }?.chromium ?? Chromium()
  }

  /// Returns a browser after use.
  func put(_ chromium: Chromium) {
    let chromium = Idle(chromium: chromium)
    idle.withLock { $0.append(chromium) }
  }

  // Proof: the pool holds the only reference to an idle browser, and the mutex passes it on.
  private struct Idle: @unchecked Sendable {
    let chromium: Chromium
  }
}
