import FuzzedParsers
import Glibc

// Measures the CPU time per byte of each parser with inputs of hostile shapes, from 1 KB to 1 MB,
// or to the largest input that the parser receives. Exits with 1 if an input takes more than 1 µs
// per byte. The figures are those of an optimised build: `make costs`.
//
//   ParserCosts [PARSER...]

/// The bound in nanoseconds per byte.
let bound = 1_000.0

let names = CommandLine.arguments.dropFirst()
if let unknown = names.first(where: { FuzzedParser(rawValue: $0) == nil }) {
  let known = FuzzedParser.allCases.map(\.rawValue).joined(separator: " ")
  print("There is no parser \(unknown). These are known:\n  \(known)")
  exit(64)
}

func line(_ cost: ParserCost) -> String {
  let tenths = Int(cost.nanosecondsPerByte * 10)
  return "\(tenths / 10).\(tenths % 10) ns per byte of \(cost.count): \(cost.input)"
}

var isWithinBound = true
for parser in FuzzedParser.allCases where names.isEmpty || names.contains(parser.rawValue) {
  let costs = ParserCost.all(of: parser, enough: bound / 2)
    .sorted { $0.nanosecondsPerByte > $1.nanosecondsPerByte }
  guard let worst = costs.first else { continue }
  print("\(parser.rawValue): at most \(line(worst))")
  for cost in costs.prefix(while: { $0.nanosecondsPerByte > bound }) {
    isWithinBound = false
    print("  exceeds the bound: \(line(cost))")
  }
}
exit(isWithinBound ? 0 : 1)
