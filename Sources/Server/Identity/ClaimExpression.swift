/// A regular expression that a text must match from its beginning to its end, with at most one group.
///
/// The time of a match is at most the length of the text times that of the expression, whatever both are: all
/// alternatives are followed at the same time, and none is tried again.
struct ClaimExpression: Sendable, Equatable {
  /// The maximum length of an expression in bytes.
  static let sizeLimit = 128

  /// The reason why an expression is rejected, as a part of a sentence.
  struct SyntaxError: Error, Equatable {
    let reason: String
  }

  /// Characters: those of the ranges, or all others.
  struct Characters: Sendable, Equatable {
    var ranges: [ClosedRange<UInt32>] = []
    var isComplement = false

    func contains(_ character: UInt32) -> Bool {
      ranges.contains { $0.contains(character) } != isComplement
    }
  }

  /// A step of the search; the numbers are distances in the program.
  private enum Step: Sendable, Equatable {
    case character(Characters)
    /// Continues at both places; a match by way of the first is preferred.
    case either(Int, Int)
    case jump(Int)
    /// The group begins or ends.
    case group(isEnd: Bool)
  }

  private let steps: [Step]
  private let hasGroup: Bool

  /// Reads an expression.
  init(_ text: String) throws(SyntaxError) {
    guard text.utf8.count <= Self.sizeLimit else {
      throw SyntaxError(reason: "it has more than \(Self.sizeLimit) bytes")
    }
    var parser = Parser(text)
    steps = try parser.program()
    hasGroup = steps.contains(.group(isEnd: false))
  }

  // MARK: Match

  /// A way through the program, and where the group begins and ends on it.
  private struct Path {
    let step: Int
    var start: Int?
    var end: Int?
  }

  /// Returns the text of the group, or the whole text of an expression without one, or `nil` if the text does not match.
  func match(_ text: String) -> String? {
    let characters = Array(text.unicodeScalars)
    var paths: [Path] = []
    var visited = [Int](repeating: -1, count: steps.count + 1)
    follow(Path(step: 0), at: 0, &paths, &visited)
    for (index, character) in characters.enumerated() {
      var next: [Path] = []
      for path in paths where path.step < steps.count {
        if case .character(let set) = steps[path.step], set.contains(character.value) {
          let path = Path(step: path.step + 1, start: path.start, end: path.end)
          follow(path, at: index + 1, &next, &visited)
        }
      }
      if next.isEmpty { return nil }
      paths = next
    }
    guard let path = paths.first(where: { $0.step == steps.count }) else { return nil }
    guard hasGroup else { return text }
    guard let start = path.start, let end = path.end, start <= end else { return nil }
    var group = String.UnicodeScalarView()
    group.append(contentsOf: characters[start..<end])
    return String(group)
  }

  /// Adds the steps for a character, and the end, that a path reaches without one, the preferred ones first.
  private func follow(
    _ path: Path, at position: Int, _ paths: inout [Path], _ visited: inout [Int]
  ) {
    var open = [path]
    while var path = open.popLast() {
      guard visited[path.step] != position else { continue }
      visited[path.step] = position
      guard path.step < steps.count else {
        paths.append(path)
        continue
      }
      func next(_ distance: Int) -> Path {
        Path(step: path.step + distance, start: path.start, end: path.end)
      }
      switch steps[path.step] {
      case .character: paths.append(path)
      case .jump(let distance): open.append(next(distance))
      case .either(let first, let second):
        open.append(next(second))
        open.append(next(first))
      case .group(let isEnd):
        if isEnd { path.end = position } else { path.start = position }
        open.append(next(1))
      }
    }
  }

  // MARK: Syntax

  private struct Parser {
    private static let depthLimit = 16

    private let characters: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    private var hasGroup = false

    init(_ text: String) { characters = Array(text.unicodeScalars) }

    private var next: Unicode.Scalar? {
      position < characters.count ? characters[position] : nil
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard next == character else { return false }
      position += 1
      return true
    }

    private func failure(_ reason: String) -> SyntaxError {
      SyntaxError(reason: "character \(position + 1): \(reason)")
    }

    mutating func program() throws(SyntaxError) -> [Step] {
      // The whole text has to match: both are permitted where they change nothing.
      _ = take("^")
      let steps = try alternatives()
      if next == ")" { throw failure("a ) without (") }
      return steps
    }

    private mutating func alternatives() throws(SyntaxError) -> [Step] {
      let first = try sequence()
      guard take("|") else { return first }
      let second = try alternatives()
      return [.either(1, first.count + 2)] + first + [.jump(second.count + 1)] + second
    }

    private mutating func sequence() throws(SyntaxError) -> [Step] {
      var steps: [Step] = []
      while let character = next, character != "|", character != ")" {
        if character == "$", position == characters.count - 1 {
          position += 1
          break
        }
        steps += try repeated(part())
      }
      return steps
    }

    private mutating func repeated(_ part: [Step]) throws(SyntaxError) -> [Step] {
      guard let sign = next, "*+?".unicodeScalars.contains(sign) else {
        if next == "{" {
          throw failure("{ } is not supported; write \\{ for the character")
        }
        return part
      }
      position += 1
      let isShort = take("?")
      if let next, "*+?{".unicodeScalars.contains(next) { throw failure("a second repetition") }
      func either(_ again: Int, _ on: Int) -> Step {
        isShort ? .either(on, again) : .either(again, on)
      }
      switch sign {
      case "*": return [either(1, part.count + 2)] + part + [.jump(-part.count - 1)]
      case "+": return part + [either(-part.count, 1)]
      default: return [either(1, part.count + 1)] + part
      }
    }

    private mutating func part() throws(SyntaxError) -> [Step] {
      guard let character = next else { throw failure("a part is missing") }
      switch character {
      case "(": return try group()
      case "[": return [.character(try characterClass())]
      case "^", "$":
        throw failure("the whole text has to match; remove \(character), or write \\\(character)")
      case "*", "+", "?", "{":
        throw failure("nothing is before \(character); write \\\(character) for the character")
      case ".":
        position += 1
        return [.character(Characters(isComplement: true))]
      case "\\": return [.character(try escape())]
      default:
        position += 1
        return [.character(Characters(ranges: [character.value...character.value]))]
      }
    }

    private mutating func group() throws(SyntaxError) -> [Step] {
      position += 1
      var isCaptured = true
      if take("?") {
        guard take(":") else { throw failure("only (?: is supported of the groups with (?") }
        isCaptured = false
      }
      if isCaptured {
        guard !hasGroup else {
          throw failure("a second group; write (?: for those that select nothing")
        }
        hasGroup = true
      }
      depth += 1
      guard depth <= Self.depthLimit else { throw failure("groups are nested too deeply") }
      let steps = try alternatives()
      guard take(")") else { throw failure("a ( without )") }
      depth -= 1
      return isCaptured ? [.group(isEnd: false)] + steps + [.group(isEnd: true)] : steps
    }

    private mutating func escape() throws(SyntaxError) -> Characters {
      position += 1
      guard let character = next else { throw failure("nothing is after \\") }
      let digits: ClosedRange<UInt32> = 0x30...0x39
      let word: [ClosedRange<UInt32>] = [digits, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
      position += 1
      switch character {
      case "d": return Characters(ranges: [digits])
      case "D": return Characters(ranges: [digits], isComplement: true)
      case "w": return Characters(ranges: word)
      case "W": return Characters(ranges: word, isComplement: true)
      default:
        guard character.isASCII, !word.contains(where: { $0.contains(character.value) }) else {
          position -= 1
          throw failure("\\\(character) is not supported")
        }
        return Characters(ranges: [character.value...character.value])
      }
    }

    private mutating func characterClass() throws(SyntaxError) -> Characters {
      position += 1
      var set = Characters()
      set.isComplement = take("^")
      while let character = next, character != "]" {
        guard character != "\\" else {
          let escaped = try escape()
          guard !escaped.isComplement else { throw failure("\\D and \\W cannot be in [ ]") }
          set.ranges += escaped.ranges
          continue
        }
        position += 1
        var last = character
        if next == "-", position + 1 < characters.count, characters[position + 1] != "]" {
          position += 1
          last = characters[position]
          guard last != "\\", last.value >= character.value else {
            throw failure("the range ends before it begins")
          }
          position += 1
        }
        set.ranges.append(character.value...last.value)
      }
      guard take("]") else { throw failure("a [ without ]") }
      guard !set.ranges.isEmpty else { throw failure("the [ ] is empty") }
      return set
    }
  }
}
