import ReactorHost
import Synchronization
import Telemetry
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
  func `a logger passes its level and above`(_ level: LogLevel) {
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

  @Test func `a threshold applies to all copies of a logger`() {
    let lines = Lines()
    let logger = lines.logger(.warning)
    let copy = logger
    copy.info("a")
    logger.threshold.level = .info
    copy.info("b")
    #expect(logger.level == .info)
    #expect(lines.all == ["info b"])
  }

  @Test func `fields keep their order, including repeated names`() {
    let lines = Lines()
    lines.logger(.info).info("m", ["b": "1", "a": "2", "b": "3"])
    #expect(lines.all == ["info m b=1 a=2 b=3"])
  }

  @Test func `messages below the level are not evaluated`() {
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
