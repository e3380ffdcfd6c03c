internal import FuzzedParsers
internal import Glibc

/// The entry point of libFuzzer: passes each input to the parser named by `FUZZED_PARSER`.
///
/// Traps if the CPU time of the thread exceeds 4 µs per byte beyond the cost of an empty input: the bound
/// of 1 µs of an optimised build, with room for the instrumentation.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  parser.run(bytes)
  guard !isSlow(bytes, fixed: fixedCost) else {
    fatalError("more than 4 µs per byte of an input of \(count) bytes")
  }
  return 0
}

/// Checks the bound with inputs of up to 1 MB that are slow in a parser with a quadratic path, before
/// libFuzzer searches among small ones.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
  for input in HostileInput.all(for: parser) {
    for size in parser.costSizes {
      let bytes = input.bytes(size)
      guard !isSlow(bytes, fixed: 10 * fixedCost) else {
        fatalError("more than 4 µs per byte of \(bytes.count) bytes: \(input)")
      }
    }
  }
  return 0
}

/// Whether an input takes more than 4 µs per byte beyond a fixed cost, in each of three attempts: the first one
/// can have one-time costs, such as that of a new service.
private func isSlow(_ bytes: [UInt8], fixed: Double) -> Bool {
  let bound = fixed + Double(4_000 * bytes.count * parser.passes)
  return (0..<3).allSatisfy { _ in ParserCost.threadTime { parser.parse(bytes) } > bound }
}

/// Twice the cost of an empty input, for example of parsing all settings, plus 2 ms.
private let fixedCost: Double = {
  let times = (0..<5).map { _ in ParserCost.threadTime { parser.parse([]) } }
  return 2 * (times.max() ?? 0) + 2_000_000
}()

private let parser: FuzzedParser = {
  let name = getenv("FUZZED_PARSER").map { String(cString: $0) } ?? ""
  guard let parser = FuzzedParser(rawValue: name) else {
    let names = FuzzedParser.allCases.map(\.rawValue).joined(separator: ", ")
    fatalError("FUZZED_PARSER must be one of \(names)")
  }
  return parser
}()
