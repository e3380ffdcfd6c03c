import Testing

@testable import ReactorTesting

struct StateDifferenceTests {
  private indirect enum Shape: Sendable {
    case point
    case circle(radius: Int)
    case group(Shape)
  }

  private func difference(_ old: some Any, _ new: some Any) -> [Substring] {
    StateDifference(from: old as Any, to: new as Any).description(["old", "new"])
      .split(separator: "\n").map { $0.dropFirst(2) }
  }

  @Test func `values without parts are shown whole`() {
    #expect(difference(1, 2) == ["old 1, new 2"])
    #expect(difference("a", "b") == [#"old "a", new "b""#])
  }

  @Test func `optionals stand for what they hold`() {
    #expect(difference(Int?.none, Int?.some(2)) == ["old nil, new 2"])
    #expect(difference(Int?.some(1), Int?.some(2)) == ["old 1, new 2"])
  }

  @Test func `cases and their values are compared`() {
    #expect(
      difference(Shape.point, Shape.circle(radius: 2))
        == ["old .point, new nothing", "circle.radius: old nothing, new 2"])
    let (small, large) = (Shape.circle(radius: 1), Shape.circle(radius: 2))
    #expect(difference(small, large) == ["circle.radius: old 1, new 2"])
  }

  @Test func `dictionaries by key and sets as a whole`() {
    #expect(
      difference(["a": 1, "b": 2], ["a": 1, "b": 3, "c": 4])
        == ["count: old 2, new 3", #"["b"]: old 2, new 3"#, #"["c"]: old nothing, new 4"#])
    #expect(difference(Set([2, 1]), Set([1])) == ["old [1, 2], new [1]"])
  }

  @Test func `the differences of lists are shown by index`() {
    #expect(
      difference([1, 2], [1]) == ["count: old 2, new 1", "[1]: old 2, new nothing"])
  }

  @Test func `a long list of differences is truncated`() {
    let lines = difference(Array(0..<100), Array(1...100))
    #expect(lines.count == StateOutline.lineLimit + 1)
    #expect(lines.last == "…")
  }

  @Test func `the depth of compared parts is limited`() {
    var shape = Shape.point
    for _ in 0..<1000 { shape = .group(shape) }
    #expect(difference(shape, Shape.point).count == 2)
  }
}
