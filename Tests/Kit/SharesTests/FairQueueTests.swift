import Testing

@testable import Shares

@Suite struct FairQueueTests {
  /// Removes the jobs that can begin, and ends each at once.
  private func drain(_ queue: inout FairQueue<Int, Int>) -> [Int] {
    var jobs: [Int] = []
    while let (owner, job) = queue.begin() {
      jobs.append(job)
      queue.end(owner)
    }
    return jobs
  }

  @Test func `owners take turns, and the jobs of each keep their order`() {
    var queue = FairQueue<Int, Int>(width: 1)
    for job in 0..<5 { queue.append(job, of: 1) }
    queue.append(10, of: 2)
    queue.append(20, of: 3)
    #expect(drain(&queue) == [0, 10, 20, 1, 2, 3, 4])
    #expect(queue.isEmpty)
  }

  @Test func `jobs that are put back begin before the others of their owner, in their order`() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      var queue = FairQueue<Int, Int>(width: .max)
      var (next, expected) = ([0, 0, 0], [0, 0, 0])
      for _ in 0..<40 {
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
          let owner = Int.random(in: 0..<3, using: &generator)
          queue.append(next[owner], of: owner)
          next[owner] += 1
        }
        var group: [(owner: Int, job: Int)] = []
        for _ in 0..<Int.random(in: 0...8, using: &generator) {
          guard let begun = queue.begin() else { break }
          queue.end(begun.owner)
          group.append(begun)
        }
        let done = Int.random(in: 0...group.count, using: &generator)
        queue.putBack(group[done...])
        for (owner, job) in group[..<done] {
          #expect(job == expected[owner])
          expected[owner] += 1
        }
      }
      while let (owner, job) = queue.begin() {
        queue.end(owner)
        #expect(job == expected[owner])
        expected[owner] += 1
      }
      #expect(next == expected)
      #expect(queue.isEmpty)
    }
  }
}
