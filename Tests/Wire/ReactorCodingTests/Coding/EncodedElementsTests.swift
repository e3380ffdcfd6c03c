import Foundation
import RandomJSON
import ReactorCoding
import Synchronization
import Testing

/// The text with copied elements is the one without, and elements that have not changed are copied.
struct EncodedElementsTests {
  enum Mark: Codable, Equatable, Sendable {
    case none
    case number(Int)
    case named(String, isBold: Bool)
    case parts([Int])
  }

  struct Item: Codable, Equatable, Sendable {
    var isDone = false
    var number: Int?
    var rank: Int8 = 0
    var weight = 0.0
    var text = ""
    var tags: [String] = []
    var mark = Mark.none
    var names: [String: [Int]] = [:]
    var places: Set<Int> = []
    var at = Date(timeIntervalSince1970: 0)
    var data = Data()
    var inner: [Item]?
  }

  struct Nothing: Codable, Equatable, Sendable {}

  enum Page: Codable, Equatable, Sendable {
    case empty
    case items([Item])
    case titled(String, items: [Item])
  }

  struct Document: Codable, Equatable, Sendable {
    var items: [Item] = []
    var others: [Item] = []
    var rows: [[Int]] = []
    var numbers: [Double] = []
    var texts: [String] = []
    var optional: [String?]?
    var nothings: [Nothing] = []
    var keyed: [String: [Item]] = [:]
    var page = Page.empty
    var places: Set<[Int]> = []
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `the text with copied elements is the one without`(seed: UInt64) throws {
    var generator = JSONGenerator(seed: seed)
    var document = Document()
    let elements = EncodedElements()
    let spare = SpareBuffers()
    for _ in 0..<80 {
      document.change(using: &generator)
      let series = JSONCoder.Series(in: spare)
      let text = try series.encode(document, reusing: elements)
      let depth = series.depth
      let whole = try series.encode(document)
      #expect(text == whole)
      #expect(depth == series.depth)
      series.end(keepingBuffersIn: spare)
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `a text that is too deep is the same error`(seed: UInt64) throws {
    var generator = JSONGenerator(seed: seed)
    var document = Document()
    for _ in 0..<40 { document.change(using: &generator) }
    let elements = EncodedElements()
    for step in 0..<40 {
      document.change(using: &generator)
      for limit in [512, 512, 2 + step % 6] {
        func encode(
          _ body: (borrowing JSONCoder.Series) throws -> [UInt8]
        ) -> Result<[UInt8], JSONDepthError> {
          Result { try body(JSONCoder.Series(depthLimit: limit)) }
            .mapError { $0 as? JSONDepthError ?? JSONDepthError(limit: -1) }
        }
        #expect(
          encode { try $0.encode(document, reusing: elements) }
            == encode { try $0.encode(document) })
      }
    }
  }

  /// An element that counts its encodings.
  ///
  /// Between its members are bytes that belong to none.
  struct Counted: Codable, Sendable {
    @TaskLocal static var encodings = Counter()

    var isDone = true
    var number: Int? = nil
    var text = ""
    var weight = 0.0

    init(_ text: String) { self.text = text }

    func encode(to encoder: any Encoder) throws {
      Self.encodings.value.add(1, ordering: .relaxed)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(isDone, forKey: .isDone)
      try container.encode(number, forKey: .number)
      try container.encode(text, forKey: .text)
      try container.encode(weight, forKey: .weight)
    }
  }

  final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }

  private static let list = (0..<200).map {
    Counted(String(repeating: "element \($0) ", count: 20))
  }

  @Test(
    arguments: [
      ("append", 1), ("insert", 1), ("remove", 0), ("slide", 1), ("edit", 1), ("zero", 1),
      ("canonical", 1), ("several", 20), ("nothing", 0), ("all", 200),
    ])
  func `an element that has not changed is not encoded`(change: String, count: Int) throws {
    var list = Self.list
    list[7].text = "\u{E9}" + list[7].text
    let elements = EncodedElements()
    for _ in 0..<2 { _ = try JSONCoder.Series().encode(list, reusing: elements) }
    var next = list.map { $0 }
    switch change {
    case "append": next.append(Counted("new"))
    case "insert": next.insert(Counted("new"), at: 100)
    case "remove": next.remove(at: 50)
    case "slide":
      next.removeFirst()
      next.append(Counted("new"))
    case "edit": next[100].number = 7
    case "zero": next[100].weight = -0.0
    case "canonical": next[7].text = "e\u{301}" + Self.list[7].text
    case "several": for index in 60..<80 { next[index].isDone = false }
    case "all": for index in next.indices { next[index].number = index }
    default: break
    }
    let counter = Counter()
    let text = try Counted.$encodings.withValue(counter) {
      try JSONCoder.Series().encode(next, reusing: elements)
    }
    #expect(text == (try JSONCoder.encode(next)))
    #expect(counter.value.load(ordering: .relaxed) == count)
  }

  @Test func `the storage of elements is changed only in a copy`() throws {
    var rows = (0..<100).map { row in (0..<100).map { row * $0 } }
    let elements = EncodedElements()
    for step in 0..<50 {
      // In place, unless the former rows are retained.
      rows[step][step] += 1
      #expect(
        try JSONCoder.Series().encode(rows, reusing: elements) == JSONCoder.encode(rows))
    }
  }

  @Test func `elements are retained for large texts only`() throws {
    let elements = EncodedElements()
    for count in [100, 100, 1_000, 1_000, 100, 100] {
      let list = Array(repeating: "an element of a list", count: count)
      _ = try JSONCoder.Series().encode(list, reusing: elements)
    }
    #expect(elements.byteCount == 0)
    let list = Array(repeating: "an element of a list", count: 1_000)
    for _ in 0..<2 { _ = try JSONCoder.Series().encode(list, reusing: elements) }
    #expect(elements.byteCount == 1_000 * (12 + MemoryLayout<String>.stride))
    elements.removeAll()
    #expect(elements.byteCount == 0)
  }
}

extension EncodedElementsTests.Document {
  mutating func change(using generator: inout JSONGenerator) {
    func item() -> EncodedElementsTests.Item { .random(depth: 2, using: &generator) }
    switch Int.random(in: 0..<14, using: &generator) {
    case 0: items += (0..<24).map { _ in item() }
    case 1: items.append(item())
    case 2 where !items.isEmpty:
      items.remove(at: .random(in: 0..<items.count, using: &generator))
    case 3: items.insert(item(), at: .random(in: 0...items.count, using: &generator))
    case 4 where !items.isEmpty:
      items[.random(in: 0..<items.count, using: &generator)].change(using: &generator)
    case 5: swap(&items, &others)
    case 6: others += items.prefix(20)
    case 7:
      rows.append((0..<40).map { _ in .random(in: 0..<9, using: &generator) })
      if rows.count > 30 { rows.removeFirst() }
    case 8:
      numbers += [0.0, -0.0, 1.5, .random(in: 0..<1, using: &generator)]
      nothings += Array(repeating: .init(), count: 9)
    case 9:
      let count = Int.random(in: 0..<9, using: &generator)
      texts.append(String(repeating: "a text, \u{E9} ", count: count))
      optional = Bool.random(using: &generator) ? texts + [nil, ""] : nil
    case 10: keyed["\(Int.random(in: 0..<5, using: &generator))"] = Array(items.prefix(8))
    case 11:
      page =
        Bool.random(using: &generator)
        ? .items(Array(items.prefix(20))) : .titled("a page", items: Array(others.prefix(20)))
    case 12:
      places.insert(Array(repeating: .random(in: 0..<9, using: &generator), count: 20))
    default:
      if items.count + others.count > 100 { (items, others) = (Array(others.prefix(40)), []) }
      if !items.isEmpty { items.shuffle(using: &generator) }
    }
  }
}

extension EncodedElementsTests.Item {
  static func random(depth: Int, using generator: inout JSONGenerator) -> Self {
    var item = Self()
    for _ in 0..<6 { item.change(using: &generator) }
    if depth > 0, Int.random(in: 0..<20, using: &generator) == 0 {
      item.inner = (0..<17).map { _ in random(depth: depth - 1, using: &generator) }
    }
    return item
  }

  mutating func change(using generator: inout JSONGenerator) {
    let number = Int.random(in: 0..<20, using: &generator)
    switch number % 12 {
    case 0: isDone.toggle()
    case 1: self.number = self.number == nil ? number : nil
    case 2: rank &+= 1
    case 3: weight = weight == 0 ? -weight : Double(number)
    case 4: text += String(repeating: "\u{E9}\"", count: number)
    case 5: tags.append("tag \(number)")
    case 6: mark = number > 9 ? .number(number) : .named("name", isBold: isDone)
    case 7: mark = .parts([number, 1])
    case 8: names["\(number)", default: []].append(number)
    case 9: places.insert(number)
    case 10: at += 1
    default: data.append(UInt8(number))
    }
  }
}
