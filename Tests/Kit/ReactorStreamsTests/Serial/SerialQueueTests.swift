import ReactorStreams
import StreamTestSupport
import Synchronization
import Testing

/// A queue of numbers that records the handled ones.
private final class NumberQueue: Sendable {
  let log = Log<Int>()
  private let queue = SerialQueue<Int>()

  @discardableResult
  func post(_ number: Int, bound: Int = .max) -> Bool {
    queue.post(number, bound: bound, handle: log.append)
  }

  func executeIfIdle(_ body: () -> Void) -> Bool {
    queue.executeIfIdle(body, handle: log.append)
  }

  var waitingCount: Int { queue.waitingCount }
  var isOwned: Bool { queue.isOwnedByCurrentThread }
}

struct SerialQueueTests {
  private let queue = NumberQueue()

  @Test func `an idle queue handles an item at once, and then those that arrived meanwhile`() {
    let isRun = queue.executeIfIdle {
      #expect(queue.isOwned)
      queue.post(1)
      queue.post(2)
      #expect(queue.waitingCount == 2)
      #expect(queue.log.entries == [])
    }
    #expect(isRun)
    #expect(queue.log.entries == [1, 2])
    #expect(!queue.isOwned && queue.waitingCount == 0)
    #expect(queue.executeIfIdle {})
  }

  @Test func `executeIfIdle on a busy queue does nothing`() {
    let isRun = queue.executeIfIdle {
      #expect(!queue.executeIfIdle { Issue.record("It ran within another turn.") })
      #expect(queue.waitingCount == 0)
    }
    #expect(isRun)
    #expect(queue.log.entries == [])
  }

  @Test func `a bound limits the waiting items`() {
    _ = queue.executeIfIdle {
      #expect(queue.post(1, bound: 2))
      #expect(queue.post(2, bound: 2))
      #expect(!queue.post(3, bound: 2))
    }
    #expect(queue.log.entries == [1, 2])
  }

  @Test func `the items of several threads never overlap, and none is lost`() {
    let inside = Atomic<Int>(0)
    let ran = Atomic<Int>(0)
    onThreads(4) { [queue] sender in
      for round in 0..<2_000 {
        let isRun = queue.executeIfIdle {
          #expect(inside.add(1, ordering: .relaxed).newValue == 1)
          ran.add(1, ordering: .relaxed)
          inside.subtract(1, ordering: .relaxed)
        }
        if !isRun { queue.post(sender * 2_000 + round) }
      }
    }
    let handled = queue.log.entries
    #expect(Set(handled).count == handled.count)
    #expect(handled.count + ran.load(ordering: .relaxed) == 8_000)
  }
}
