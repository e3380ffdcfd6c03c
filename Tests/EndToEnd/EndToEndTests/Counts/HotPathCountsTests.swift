import Foundation
import Testing

/// The costs of an action and a delivery, compared with the committed counts.
///
/// `make counts` commits a change, so that the diff of the file shows it. In optimized builds the
/// counts must be equal. In other builds every closure allocates, and a difference of five percent
/// is accepted.
@Suite(.blocking) struct HotPathCountsTests {
  private typealias Counts = [String: [String: Int]]

  private static let file = Guide.root
    .appending(path: "Tests/Tools/HotPathCounts/counts.json")

  @Test(.enabled(if: !Sanitizer.isUsed))
  func `an action and a delivery cost what counts.json states`() throws {
    let program = try ReactordProcess.launch([], program: "HotPathCounts")
    #expect(try program.wait() == .code(0), "\(program.standardError)")
    let counted = try JSONDecoder().decode(Counts.self, from: Data(program.standardOutput.utf8))
    let written = try JSONDecoder().decode(Counts.self, from: Data(contentsOf: Self.file))
    for (configuration, counts) in counted {
      let expected = written[configuration] ?? [:]
      for name in Set(counts.keys).union(expected.keys).sorted() {
        let (count, before) = (counts[name] ?? -1, expected[name] ?? -1)
        let slack = configuration == "debug" ? before / 20 : 0
        #expect(
          abs(count - before) <= slack,
          "\(name): \(count), not \(before) (\(configuration)); see make counts")
      }
    }
  }

  @Test(.enabled(if: !Sanitizer.isUsed))
  func `a State is encoded once per version, whatever the number of subscribers`() throws {
    let written = try JSONDecoder().decode(Counts.self, from: Data(contentsOf: Self.file))
    for counts in written.values {
      for (name, count) in counts where name.hasSuffix("encodes of the State") {
        #expect(count == 1, "\(name)")
      }
    }
  }
}
