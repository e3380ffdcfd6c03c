import RandomJSON
@testable import ReactorCoding
import Testing

/// A text that is parsed beside a former one has the tape that it has without.
struct FormerDocumentTests {
  private struct Node: Equatable {
    let start, end, next: UInt32
    let count: UInt16
    let kind: JSONKind
    let hasEscapes: Bool
  }

  private func tape(_ document: JSONDocument) -> [Node] {
    document.nodes.map {
      Node(
        start: $0.start, end: $0.end, next: $0.next, count: $0.count, kind: $0.kind,
        hasEscapes: $0.hasEscapes)
    }
  }

  private func expectSame(_ text: [UInt8], after former: [UInt8]) {
    // A text that is no JSON has no document.
    guard let former = try? JSONDocument(parsing: former) else { return }
    func parsed(after former: JSONDocument?) -> Result<[Node], JSONSyntaxError> {
      do throws(JSONSyntaxError) {
        let document =
          if let former {
            try JSONDocument(parsing: text, after: former)
          } else {
            try JSONDocument(parsing: text)
          }
        return .success(tape(document))
      } catch {
        return .failure(error)
      }
    }
    let isSame = parsed(after: former) == parsed(after: nil)
    #expect(isSame, "\(String(decoding: text.prefix(400), as: UTF8.self))")
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `the tape is the one without the former text`(seed: UInt64) {
    var generator = JSONGenerator(seed: seed)
    var value = generator.value(depth: 5)
    for _ in 0..<300 {
      let next =
        Int.random(in: 0..<8, using: &generator) > 0
        ? generator.changed(value) : generator.value(depth: 5)
      expectSame(next.bytes, after: value.bytes)
      value = next
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a text with changed bytes has the same tape or error`(seed: UInt64) {
    var generator = JSONGenerator(seed: seed)
    let alphabet = Array(#"{}[],:"\0123456789.eE-+ truefalsn"#.utf8)
    for _ in 0..<300 {
      let value = generator.value(depth: 5).bytes
      var text = value
      for _ in 0...Int.random(in: 0..<3, using: &generator) where !text.isEmpty {
        let byte = alphabet[Int.random(in: alphabet.indices, using: &generator)]
        let index = Int.random(in: text.indices, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: text[index] = byte
        case 1: text.insert(byte, at: index)
        default: text.remove(at: index)
        }
      }
      expectSame(text, after: value)
    }
  }

  @Test(
    arguments: [
      ("[1,2]", "[12,2]"), ("[12,2]", "[1,2]"), ("12", "123"), ("1", "1.5"), ("1", "1 "),
      ("[1]", "[1 , 1]"), (#"{"a":1}"#, #"{"a" :1,"a": 1}"#), ("[]", "[]"), ("{}", "[]"),
      ("[[],{}]", "[{},[]]"), (#"{"a":[1]}"#, #"{"b":[1]}"#), ("[1,2,3]", "[3,2,1]"), ("[1", "[1"),
      (#"{"a":{"b":1},"c":2}"#, #"{"c":2,"a":{"b":1}}"#), ("[1]", "[1]]"), ("[1]", "[1}"),
    ])
  func `special cases have the same tape or error`(former: String, text: String) {
    expectSame(Array(text.utf8), after: Array(former.utf8))
  }

  @Test func `many elements and deep texts have the same tape or error`() {
    let numbers = (0..<70_000).map { "\($0)" }
    let list = Array("[\(numbers.joined(separator: ","))]".utf8)
    expectSame(list, after: list)
    expectSame(Array("[0,\(numbers.joined(separator: ","))]".utf8), after: list)
    for depth in [511, 512, 513] {
      func deep(_ inner: String) -> [UInt8] {
        let (opening, closing) = ("[", "]")
        return Array(
          (String(repeating: opening, count: depth) + inner
            + String(repeating: closing, count: depth)).utf8)
      }
      expectSame(deep("1"), after: deep("2"))
      expectSame(deep("1"), after: Array("[[[1],2],3]".utf8))
    }
  }

  @Test func `added, removed and changed elements among many have the same tape`() {
    let list = (0..<100).map { #"{"number":\#($0),"text":"element \#($0)"}"# }
    func text(_ list: [String]) -> [UInt8] { Array("[\(list.joined(separator: ","))]".utf8) }
    var next = list
    next.insert("1", at: 0)
    next.removeSubrange(10..<14)
    for index in 20..<40 { next[index] = #"{"number":\#(index),"text":"changed"}"# }
    next.removeLast()
    next.append("2")
    expectSame(text(next), after: text(list))
  }
}
