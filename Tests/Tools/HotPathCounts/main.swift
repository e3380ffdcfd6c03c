import Foundation

// Prints the counts of the hot path, for a test that compares them with counts.json. With that file
// as its argument, it writes them into it.

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
