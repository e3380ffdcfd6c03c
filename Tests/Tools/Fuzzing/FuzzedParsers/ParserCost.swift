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
  /// The least of up to three measurements counts, which excludes one-time costs, such as that of a new
  /// service.
  ///
  /// - Parameters:
  ///   - parser: The parser.
  ///   - enough: The nanoseconds per byte below which an input is not measured again.
  /// - Returns: The cost of each input.
  public static func all(of parser: FuzzedParser, enough: Double = 0) -> [ParserCost] {
    let fixed = least(0) { parser.parse([]) }
    return HostileInput.all(for: parser).flatMap { input in
      parser.costSizes.map { size in
        let bytes = input.bytes(size)
        let length = Double(bytes.count * parser.passes)
        let time = least(fixed + enough * length) { parser.parse(bytes) } - fixed
        return ParserCost(
          input: input.description, count: bytes.count, nanosecondsPerByte: max(0, time) / length)
      }
    }
  }

  /// Returns the least of three times, or the first one below a time.
  private static func least(_ enough: Double, _ body: () -> Void) -> Double {
    var least = threadTime(of: body)
    for _ in 1..<3 where least > enough { least = min(least, threadTime(of: body)) }
    return least
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
