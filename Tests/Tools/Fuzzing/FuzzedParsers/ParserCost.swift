internal import Glibc

/// The CPU time that a parser takes for an input of a hostile shape.
public struct ParserCost: Sendable {
  /// The shape of the input.
  public let input: String

  /// The size of the input in bytes.
  public let count: Int

  /// The CPU time of each byte in nanoseconds, without the cost of an empty input.
  public let nanosecondsPerByte: Double

  /// Measures a parser with each hostile shape in each size of ``FuzzedParser/costSizes``.
  ///
  /// The least of three measurements counts, which excludes one-time costs, such as that of a new
  /// service.
  public static func all(of parser: FuzzedParser) -> [ParserCost] {
    let fixed = least { parser.parse([]) }
    return HostileInput.all(for: parser).flatMap { input in
      parser.costSizes.map { size in
        let bytes = input.bytes(size)
        let time = least { parser.parse(bytes) } - fixed
        return ParserCost(
          input: input.description, count: bytes.count,
          nanosecondsPerByte: max(0, time) / Double(bytes.count * parser.passes))
      }
    }
  }

  private static func least(_ body: () -> Void) -> Double {
    (0..<3).map { _ in threadTime(of: body) }.min() ?? 0
  }

  /// Returns the CPU time in nanoseconds that the thread spends in a function.
  ///
  /// Other load on the machine does not affect it.
  public static func threadTime(of body: () -> Void) -> Double {
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
