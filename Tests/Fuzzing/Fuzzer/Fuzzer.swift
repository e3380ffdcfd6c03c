internal import FuzzedParsers
internal import Glibc

/// What libFuzzer calls with each input: the parser that `FUZZED_PARSER` names takes it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  parser.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

private let parser: FuzzedParser = {
  let name = getenv("FUZZED_PARSER").map { String(cString: $0) } ?? ""
  guard let parser = FuzzedParser(rawValue: name) else {
    let names = FuzzedParser.allCases.map(\.rawValue).joined(separator: ", ")
    fatalError("FUZZED_PARSER must be one of \(names)")
  }
  return parser
}()
