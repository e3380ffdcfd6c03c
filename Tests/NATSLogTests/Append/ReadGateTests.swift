import Synchronization
import Testing

@testable import NATSLog

struct ReadGateTests {
  private final class Counts: Sendable {
    let now = Atomic(0)
    let all = Atomic(0)
    let most = Atomic(0)
  }

  @Test func `no more reads than the bound are under way, and all are executed`() async {
    let (gate, counts) = (ReadGate(3), Counts())
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          await gate.begin()
          let now = counts.now.add(1, ordering: .sequentiallyConsistent).newValue
          counts.most.max(now, ordering: .sequentiallyConsistent)
          await Task.yield()
          counts.now.subtract(1, ordering: .sequentiallyConsistent)
          counts.all.add(1, ordering: .sequentiallyConsistent)
          gate.end()
        }
      }
    }
    #expect(counts.all.load(ordering: .sequentiallyConsistent) == 200)
    #expect((1...3).contains(counts.most.load(ordering: .sequentiallyConsistent)))
  }

  @Test func `a read that waits begins when another one ends`() async {
    let (gate, counts) = (ReadGate(1), Counts())
    await gate.begin()
    let second = Task {
      await gate.begin()
      return counts.all.load(ordering: .sequentiallyConsistent)
    }
    counts.all.add(1, ordering: .sequentiallyConsistent)
    gate.end()
    #expect(await second.value == 1)
    gate.end()
    await gate.begin()
    gate.end()
  }
}
