import ReactorHost
import Synchronization
import Testing

struct LoggerTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func logger(_ level: LogLevel) -> Logger {
      Logger(level: level) { level, message, fields in
        self.lines.withLock { lines in
          let words = fields.map { "\($0.0)=\($0.1)" }
          lines.append(([level.rawValue, message] + words).joined(separator: " "))
        }
      }
    }
  }

  @Test(arguments: LogLevel.allCases)
  func `a level lets pass what matters as much or more`(_ level: LogLevel) {
    let lines = Lines()
    let logger = lines.logger(level)
    logger.trace("trace")
    logger.debug("debug")
    logger.info("info")
    logger.warning("warning")
    logger.error("error")
    let passed = LogLevel.allCases.drop { $0 != level }
    #expect(lines.all == passed.map { "\($0.rawValue) \($0.rawValue)" })
  }

  @Test func `fields keep their order, also when a name comes twice`() {
    let lines = Lines()
    lines.logger(.info).info("m", ["b": "1", "a": "2", "b": "3"])
    #expect(lines.all == ["info m b=1 a=2 b=3"])
  }

  @Test func `what is not written is not built`() {
    let built = Atomic(0)
    let count = { () -> String in
      built.add(1, ordering: .relaxed)
      return "x"
    }
    let logger = Lines().logger(.warning)
    logger.info(count(), ["field": count()])
    #expect(built.load(ordering: .relaxed) == 0)
    logger.warning(count(), ["field": count()])
    #expect(built.load(ordering: .relaxed) == 2)
  }
}
