import FuzzedParsers
import Glibc
import Testing

/// The CPU time of each parser grows linearly with its input, whatever the input.
///
/// The bound is that of a build without optimisation, and the inputs are small; `make costs` checks 1 µs per
/// byte and inputs of up to 1 MB in an optimised build.
struct CostTests {
  private static let nanosecondsPerByte = 4_000.0

  // A sanitizer multiplies the CPU time.
  @Test(.enabled(if: getenv("TESTS_SANITIZED") == nil), arguments: FuzzedParser.allCases)
  func `a parser takes a bounded time per byte`(_ parser: FuzzedParser) {
    for input in HostileInput.all(for: parser) {
      for size in [1_024, 20_000] {
        let bytes = input.bytes(size)
        // Allow 20 ms for fixed costs, such as that of a new session.
        let bound =
          Self.nanosecondsPerByte * Double(parser.passes * bytes.count) + 20_000_000
        // Three attempts exclude one-time costs, such as that of a new service.
        let isBounded = (0..<3).contains { _ in
          ParserCost.threadTime { parser.parse(bytes) } < bound
        }
        #expect(isBounded, "\(parser), \(input), \(bytes.count) bytes")
      }
    }
  }
}
