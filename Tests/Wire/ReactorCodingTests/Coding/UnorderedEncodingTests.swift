import RandomJSON
import ReactorCoding
import Testing

/// Equal values have equal bytes, whatever the order in which their sets and dictionaries were filled.
struct UnorderedEncodingTests {
  enum Place: String, Codable, Hashable, CaseIterable { case home, work, away }

  struct Point: Codable, Hashable {
    var x: Int
    var y: Int?
    var names: Set<String> = []
  }

  enum Shape: Codable, Hashable {
    case empty
    case points(Set<Point>)
    case labelled(Set<Int>, by: [Point: Set<Place>])
  }

  struct Document: Codable, Hashable {
    var tags: Set<String> = []
    var nested: Set<Set<Int>> = []
    var optional: Set<Double>?
    var keyed: [String: Set<Int>] = [:]
    var numbered: [Int: Set<Bool>] = [:]
    var places: [Place: Int] = [:]
    var points: [Point: [Place: Set<String>]] = [:]
    var list: [Set<Point>] = []
    var shapes: Set<Shape> = []
    var options: Set<Int?> = []
  }

  @Test func `elements of a set are in the order of their bytes`() throws {
    #expect(try encoded(Set([10, 9, 1, -1])) == "[-1,1,10,9]")
    #expect(try encoded(Set(["b", "a", "ab", ""])) == #"["","a","ab","b"]"#)
    #expect(try encoded(Set<String>()) == "[]")
    #expect(try encoded([Set([2, 1]), Set([1])]) == "[[1,2],[1]]")
    #expect(try encoded([2, 1]) == "[2,1]")
  }

  @Test func `pairs of a dictionary are in the order of their keys' bytes`() throws {
    #expect(
      try encoded([Place.work: 1, .home: 2, .away: 3]) == #"["away",3,"home",2,"work",1]"#)
    #expect(
      try encoded([Point(x: 2): 1, Point(x: 1): 2])
        == #"[{"x":1,"y":null,"names":[]},2,{"x":2,"y":null,"names":[]},1]"#)
  }

  @Test func `texts that share their first bytes are compared as a whole`() throws {
    let texts = Set((0..<300).map { "a common beginning \($0)" })
    #expect(try encoded(texts) == encoded(texts.sorted()))
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func `equal documents have equal bytes`(seed: UInt64) throws {
    var generator = JSONGenerator(seed: seed)
    let document = Document.random(using: &generator)
    let bytes = try encoded(document)
    for _ in 0..<5 {
      let other = document.refilled(using: &generator)
      #expect(other == document)
      #expect(try encoded(other) == bytes)
    }
    let read = try decoded(Document.self, bytes)
    #expect(read == document)
    #expect(try encoded(read) == bytes)
  }

  @Test func `a container that a type opens inside a set keeps its order`() throws {
    struct Ordered: Encodable, Hashable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(Set([2, 1]))
        var inner = container.nestedUnkeyedContainer()
        try inner.encode(9)
        try inner.encode(1)
      }
    }
    #expect(try encoded(Set([Ordered()])) == "[[[1,2],[9,1]]]")
  }

  @Test func `members with the same name are in the order of their text`() throws {
    struct Vague: Codable, Hashable, CodingKeyRepresentable {
      let value: Int
      struct Name: CodingKey {
        let stringValue = "same"
        let intValue: Int? = nil
        init() {}
        init?(stringValue: String) {}
        init?(intValue: Int) { nil }
      }
      var codingKey: any CodingKey { Name() }
      init(value: Int) { self.value = value }
      init?<Key: CodingKey>(codingKey: Key) { value = 0 }
    }
    let text = #"{"same":1,"same":2,"same":3}"#
    for order in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] {
      let dictionary = Dictionary(uniqueKeysWithValues: order.map { (Vague(value: $0), $0) })
      #expect(try encoded(dictionary) == text)
    }
  }

  @Test func `the path of an error inside a set names the element`() {
    let error = #expect(throws: EncodingError.self) {
      try encoded(["numbers": Set([Double.infinity])])
    }
    #expect(String(describing: error).contains("/numbers/0"))
  }
}

extension JSONGenerator {
  fileprivate mutating func count(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  fileprivate mutating func list<Element>(_ make: (inout Self) -> Element) -> [Element] {
    (0..<count(8)).map { _ in make(&self) }
  }

  fileprivate mutating func text() -> String {
    let texts = ["", "a", "ab", "a,b", "\"", "]", "é", "a longer text with [ and \\", "😀"]
    return texts[count(texts.count)] + String(count(4))
  }

  fileprivate mutating func place() -> UnorderedEncodingTests.Place {
    [.home, .work, .away][count(3)]
  }

  /// Returns the elements in another order and with another capacity.
  fileprivate mutating func refilled<Element: Hashable>(
    _ elements: some Sequence<Element>
  ) -> Set<Element> {
    var result = Set<Element>(minimumCapacity: count(100))
    for element in elements.shuffled(using: &self) { result.insert(element) }
    return result
  }

  fileprivate mutating func refilled<Key: Hashable, Value>(
    _ pairs: [Key: Value], _ refill: (inout Self, Value) -> Value
  ) -> [Key: Value] {
    var result = [Key: Value](minimumCapacity: count(100))
    for (key, value) in pairs.shuffled(using: &self) { result[key] = refill(&self, value) }
    return result
  }
}

extension UnorderedEncodingTests.Point {
  static func random(using generator: inout JSONGenerator) -> Self {
    Self(
      x: generator.count(30), y: generator.count(2) == 0 ? nil : generator.count(5),
      names: Set(generator.list { $0.text() }))
  }

  func refilled(using generator: inout JSONGenerator) -> Self {
    Self(x: x, y: y, names: generator.refilled(names))
  }
}

extension UnorderedEncodingTests.Shape {
  static func random(using generator: inout JSONGenerator) -> Self {
    switch generator.count(3) {
    case 0: .empty
    case 1: .points(Set(generator.list { .random(using: &$0) }))
    default:
      .labelled(
        Set(generator.list { $0.count(50) }),
        by: Dictionary(
          generator.list { (.random(using: &$0), Set($0.list { $0.place() })) },
          uniquingKeysWith: { first, _ in first }))
    }
  }

  func refilled(using generator: inout JSONGenerator) -> Self {
    switch self {
    case .empty: .empty
    case .points(let points):
      .points(generator.refilled(points.map { $0.refilled(using: &generator) }))
    case .labelled(let numbers, let places):
      .labelled(
        generator.refilled(numbers), by: generator.refilled(places) { $0.refilled($1) })
    }
  }
}

extension UnorderedEncodingTests.Document {
  static func random(using generator: inout JSONGenerator) -> Self {
    func first<Value>(_ one: Value, _ other: Value) -> Value { one }
    return Self(
      tags: Set(generator.list { $0.text() }),
      nested: Set(generator.list { Set($0.list { $0.count(300) - 30 }) }),
      optional: generator.count(2) == 0 ? nil : Set(generator.list { Double($0.count(99)) / 8 }),
      keyed: Dictionary(
        generator.list { ($0.text(), Set($0.list { $0.count(20) })) }, uniquingKeysWith: first),
      numbered: Dictionary(
        generator.list { ($0.count(30), Set($0.list { $0.count(2) == 0 })) },
        uniquingKeysWith: first),
      places: Dictionary(
        generator.list { ($0.place(), $0.count(9)) }, uniquingKeysWith: first),
      points: Dictionary(
        generator.list {
          (
            .random(using: &$0),
            Dictionary(
              $0.list { ($0.place(), Set($0.list { $0.text() })) }, uniquingKeysWith: first)
          )
        }, uniquingKeysWith: first),
      list: generator.list { Set($0.list { .random(using: &$0) }) },
      shapes: Set(generator.list { .random(using: &$0) }),
      options: Set(generator.list { $0.count(3) == 0 ? nil : $0.count(9) }))
  }

  func refilled(using generator: inout JSONGenerator) -> Self {
    Self(
      tags: generator.refilled(tags),
      nested: generator.refilled(nested.map { generator.refilled($0) }),
      optional: optional.map { generator.refilled($0) },
      keyed: generator.refilled(keyed) { $0.refilled($1) },
      numbered: generator.refilled(numbered) { $0.refilled($1) },
      places: generator.refilled(places) { $1 },
      points: generator.refilled(points) { $0.refilled($1) { $0.refilled($1) } },
      list: list.map { generator.refilled($0.map { $0.refilled(using: &generator) }) },
      shapes: generator.refilled(shapes.map { $0.refilled(using: &generator) }),
      options: generator.refilled(options))
  }
}
