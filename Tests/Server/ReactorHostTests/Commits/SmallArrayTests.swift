internal import Testing

@testable internal import ReactorHost

@Suite struct SmallArrayTests {
  private func few(_ elements: [Int]) -> SmallArray<Int> {
    var few = SmallArray<Int>()
    for element in elements { few.append(element) }
    return few
  }

  private func elements(_ few: SmallArray<Int>) -> [Int] {
    var elements: [Int] = []
    few.forEach { elements.append($0) }
    return elements
  }

  @Test(arguments: [[], [1], [1, 2], [3, 1, 2]])
  func `elements are in the order in which they were appended`(_ list: [Int]) {
    #expect(elements(few(list)) == list)
    #expect(few(list).count == list.count)
    #expect(few(list).isEmpty == list.isEmpty)
    #expect(few(list).last == list.last)
  }

  @Test(arguments: [[], [1], [1, 2], [3, 1, 2]])
  func `removeAll returns all elements, and more can be appended`(_ list: [Int]) {
    var few = few(list)
    #expect(elements(few.removeAll()) == list)
    #expect(few.isEmpty)
    few.append(7)
    #expect(elements(few) == [7])
  }

  @Test(arguments: [[], [1], [2], [1, 2, 3, 4], [2, 4], [1, 3], [2, 1, 4]])
  func `removeAll(where:) returns the matching elements in order`(_ list: [Int]) {
    var few = few(list)
    #expect(
      elements(few.removeAll { $0.isMultiple(of: 2) }) == list.filter { $0.isMultiple(of: 2) })
    #expect(elements(few) == list.filter { !$0.isMultiple(of: 2) })
  }
}
