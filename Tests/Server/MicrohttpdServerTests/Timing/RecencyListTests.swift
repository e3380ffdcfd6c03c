internal import Testing

@testable internal import MicrohttpdServer

@Suite struct RecencyListTests {
  @Test func `the index with the oldest activity is first`() {
    var list = RecencyList()
    for (time, index) in [3, 1, 4].enumerated() { list.touch(index, at: Int64(time)) }
    #expect(list.oldest.map { [$0.index, Int($0.time)] } == [3, 0])
    list.touch(3, at: 10)
    #expect(list.oldest.map { [$0.index, Int($0.time)] } == [1, 1])
    list.touch(3, at: 11)
    #expect(list.count == 3)
  }

  @Test func `removing an index twice, or an unknown one, has no effect`() {
    var list = RecencyList()
    for index in 0..<3 { list.touch(index, at: 0) }
    list.remove(1)
    list.remove(1)
    list.remove(77)
    #expect(list.count == 2)
    list.remove(0)
    #expect(list.oldest?.index == 2)
    list.remove(2)
    #expect(list.oldest == nil)
    #expect(list.count == 0)
  }

  @Test func `times are exact beyond 32 bits`() {
    var list = RecencyList()
    let start = Int64(UInt32.max) * 3 - 1
    for index in 0..<4 { list.touch(index, at: start + Int64(index)) }
    #expect((0..<4).map { list.time(of: $0) } == (0..<4).map { start + $0 })
    #expect(list.oldest?.time == start)
  }

  @Test func `random touches and removals agree with a model of a plain list`() {
    var list = RecencyList()
    var model: [Int] = []
    var random = SystemRandomNumberGenerator()
    for step in 0..<5000 {
      let index = Int.random(in: 0..<20, using: &random)
      model.removeAll { $0 == index }
      if Int.random(in: 0..<3, using: &random) > 0 {
        list.touch(index, at: Int64(step))
        model.append(index)
      } else {
        list.remove(index)
      }
      #expect(list.oldest?.index == model.first)
      #expect(list.count == model.count)
    }
  }
}
