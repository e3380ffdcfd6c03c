import Foundation

// Prints what the hot path costs, counted, for a test that compares it with counts.json. With an
// argument, the name of that file, it writes the counts into it.

#if DEBUG
  let configuration = "debug"
#else
  let configuration = "release"
#endif

let counts = Counts.all()

func json(_ value: some Encodable) throws -> Data {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  return try encoder.encode(value) + Data("\n".utf8)
}

if CommandLine.arguments.count > 1 {
  let file = URL(fileURLWithPath: CommandLine.arguments[1])
  var all = (try? JSONDecoder().decode([String: [String: Int]].self, from: Data(contentsOf: file)))
  all = all ?? [:]
  all?[configuration] = counts
  try json(all).write(to: file)
} else {
  FileHandle.standardOutput.write(try json([configuration: counts]))
}
