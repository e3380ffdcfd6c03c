import ReactorStreams
import ReactorTesting
import Testing

@Suite struct TimelineTests {
  @Test func `each character is a tick, and spaces are none`() throws {
    #expect(
      try Timeline("a- -b|").events == [.next(0, "a"), .next(3, "b"), .completed(4)])
    #expect(try Timeline("--#").events == [.error(2)])
  }

  @Test func `a group is one tick`() throws {
    #expect(
      try Timeline("-[ab]c").events == [.next(1, "a"), .next(1, "b"), .next(2, "c")])
  }

  @Test(arguments: ["a-b|", "--#", "-[ab]c|", "---", ""])
  func `parsing and drawing are inverse, except for trailing silence`(drawing: String) throws {
    let drawn = try Timeline(drawing).description
    #expect(drawn == (drawing == "---" ? "" : drawing))
  }

  @Test(arguments: [("a[b", 1), ("a]b", 1), ("[a[b]]", 2)])
  func `an unbalanced bracket in a timeline is reported`(drawing: String, offset: Int) {
    #expect(throws: Timeline.Mistake.unbalancedGroup(at: offset)) { try Timeline(drawing) }
  }

  @Test func `marbles draws the result of a transformation`() throws {
    #expect(
      try marbles("a-b-c|", "-x-y|") { inputs, _ in .merge(inputs) } == "axbyc|")
    #expect(
      try marbles("a-b-c|") { inputs, scheduler in
        inputs[0].delay(.milliseconds(2), scheduler: scheduler)
      } == "--a-b-c|")
  }

  @Test func `the subscription ends at the limit`() throws {
    #expect(try marbles("ab-c-d|", limit: 4) { inputs, _ in inputs[0] }.hasPrefix("ab-c"))
    #expect(try !marbles("ab-c-d|", limit: 4) { inputs, _ in inputs[0] }.contains("d"))
  }
}
