import Foundation
import FuzzedParsers
import Testing

/// No input of the committed corpus traps any parser.
struct CorpusTests {
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Fuzzing/Corpus").standardizedFileURL

  private static func inputs(for parser: FuzzedParser) throws -> [[UInt8]] {
    let folder = corpus.appending(path: parser.rawValue)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      Array(try Data(contentsOf: folder.appending(path: $0)))
    }
  }

  @Test(arguments: FuzzedParser.allCases)
  func `a parser accepts or rejects every input of its corpus`(_ parser: FuzzedParser) throws {
    let inputs = try Self.inputs(for: parser)
    #expect(!inputs.isEmpty)
    for input in inputs { parser.run(input) }
  }

  @Test(arguments: FuzzedParser.allCases)
  func `a parser accepts or rejects truncated and corrupted inputs`(
    _ parser: FuzzedParser
  ) throws {
    var count = 0
    for input in try Self.inputs(for: parser) {
      for length in stride(from: 0, to: input.count, by: max(1, input.count / 16)) {
        parser.run(Array(input[..<length]))
        for byte: UInt8 in [0x00, 0x22, 0x25, 0x80, 0xFF] {
          var changed = input
          changed[length] = byte
          parser.run(changed)
          count += 1
        }
      }
    }
    // A trap would end the process. The corpus must not be empty.
    #expect(count > 0)
  }
}
