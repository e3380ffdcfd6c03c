internal import FuzzedParsers
internal import Glibc

/// The entry point of libFuzzer: passes each input to the parser named by `FUZZED_PARSER`.
///
/// Traps if the CPU time of the thread exceeds 4 µs per byte and 2 ms: the bound of 1 µs of an
/// optimised build, with room for the instrumentation.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  parser.run(bytes)
  let bound = Double(2_000_000 + 4_000 * bytes.count * parser.passes)
  // A cost that does not repeat, such as that of a new service, is not that of the input.
  let isSlow = (0..<3).allSatisfy { _ in
    let start = threadTime()
    parser.parse(bytes)
    return threadTime() - start > bound
  }
  guard !isSlow else { fatalError("more than 4 µs per byte of an input of \(count) bytes") }
  return 0
}

/// The CPU time of the thread in nanoseconds.
private func threadTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

private let parser: FuzzedParser = {
  let name = getenv("FUZZED_PARSER").map { String(cString: $0) } ?? ""
  guard let parser = FuzzedParser(rawValue: name) else {
    let names = FuzzedParser.allCases.map(\.rawValue).joined(separator: ", ")
    fatalError("FUZZED_PARSER must be one of \(names)")
  }
  return parser
}()
