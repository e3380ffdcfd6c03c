import Synchronization
import Telemetry
import Testing

@testable import ReactorService

struct ConfigurationReloadTests {
  /// The values and lines that a test has received.
  private final class Recorder: Sendable {
    private let recorded = Mutex<[String]>([])

    var values: [String] { recorded.withLock { $0 } }

    func add(_ value: String) { recorded.withLock { $0.append(value) } }
  }

  private let recorder = Recorder()

  private var reload: ConfigurationReload {
    let logger = Logger(level: .info) { [recorder] _, message, _ in recorder.add(message) }
    return ConfigurationReload(logger: logger) {
      var configuration = Configuration()
      configuration.authentication.issuer = "new"
      return configuration
    }
  }

  @Test func `a handler receives a configuration that was read before it was added`() {
    let reload = reload
    reload()
    reload.onReload { [recorder] in recorder.add($0.authentication.issuer) }
    #expect(recorder.values == ["configuration reloaded", "new", "configuration reloaded"])
  }

  @Test func `an error of a handler that is added after a reload is logged`() {
    let reload = reload
    reload()
    reload.onReload { _ throws(ConfigurationError) in throw .configuration("no") }
    #expect(recorder.values == ["configuration reloaded", "configuration not reloaded"])
  }

  @Test func `a handler that is added before the first reload receives each one`() {
    let reload = reload
    reload.onReload { [recorder] in recorder.add($0.authentication.issuer) }
    #expect(recorder.values.isEmpty)
    reload()
    reload()
    #expect(
      recorder.values == ["new", "configuration reloaded", "new", "configuration reloaded"])
  }
}
