import Foundation
import FuzzedParsers
import Testing

/// The CPU time of each parser grows linearly with its input, whatever the input.
///
/// Measured by the clock of the thread, which other load on the machine does not advance.
struct CostTests {
  /// The bound in an optimised build is 1 µs per byte; without optimisation, generic code is slower.
  private static let nanosecondsPerByte: Double = isOptimised ? 1_000 : 4_000

  private static var isOptimised: Bool {
    #if DEBUG
      false
    #else
      true
    #endif
  }

  /// The sizes; without optimisation only small ones.
  private static func sizes(for parser: FuzzedParser) -> [Int] {
    isOptimised ? parser.costSizes : [1_024, 20_000]
  }

  @Test(arguments: FuzzedParser.allCases)
  func `a parser takes a bounded time per byte`(_ parser: FuzzedParser) {
    for input in HostileInput.all(for: parser) {
      for size in Self.sizes(for: parser) {
        let bytes = input.bytes(size)
        // A fixed cost, such as that of a new session, is not that of the input.
        let bound =
          Self.nanosecondsPerByte * Double(parser.passes * bytes.count) + 20_000_000
        // Neither is one that does not repeat, such as that of a new service.
        let isBounded = (0..<3).contains { _ in
          Self.threadTime { parser.parse(bytes) } < bound
        }
        #expect(isBounded, "\(parser), \(input), \(bytes.count) bytes")
      }
    }
  }

  /// The CPU nanoseconds that the thread spends in `body`.
  private static func threadTime(_ body: () -> Void) -> Double {
    let start = now()
    body()
    return now() - start
  }

  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
