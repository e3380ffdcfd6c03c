import Foundation

/// An article of the documentation, whose code blocks are compiled and executed.
struct Guide {
  /// A code block.
  struct Block {
    let language: String
    let code: String

    /// The file that the line before the block names.
    let file: String?
  }

  /// The folder of the package.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  let blocks: [Block]

  /// Reads an article of the project.
  init(_ path: String) throws {
    try self.init(absolute: Self.root.appending(path: path).path)
  }

  /// Reads an article.
  init(absolute path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var blocks: [Block] = []
    var open: (language: String, lines: [Substring])?
    var last: Substring = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let block = open, line == "```" {
        blocks.append(
          Block(
            language: block.language, code: block.lines.map { $0 + "\n" }.joined(),
            file: last.firstMatch(of: /`([\w\/.-]+\.(?:swift|html|json5))`/).map {
              String($0.output.1)
            }))
        open = nil
        last = ""
      } else if open != nil {
        open?.lines.append(line)
      } else if line.hasPrefix("```") {
        open = (String(line.dropFirst(3)), [])
      } else if !line.isEmpty {
        last = line
      }
    }
    self.blocks = blocks
  }
}
