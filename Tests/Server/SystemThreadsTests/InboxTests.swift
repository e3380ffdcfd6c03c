internal import Synchronization
internal import SystemThreads
internal import Testing

@Suite struct InboxTests {
  private final class CountingWaker: ThreadWaking {
    private let wakes = Mutex(0)
    func wake() { wakes.withLock { $0 += 1 } }
    var count: Int { wakes.withLock { $0 } }
  }

  private let waker = CountingWaker()

  @Test func `messages are received in the order in which they were sent, once`() {
    let inbox = Inbox<Int>(waking: waker)
    for message in 1...3 { inbox.send(message) }
    var messages = [7, 8]
    inbox.receive(into: &messages)
    #expect(messages == [1, 2, 3])
    inbox.receive(into: &messages)
    #expect(messages == [])
  }

  @Test func `only the first message after the owner fell asleep wakes it`() {
    let inbox = Inbox<Int>(waking: waker)
    inbox.send(1)
    #expect(waker.count == 0)
    #expect(!inbox.prepareToSleep())
    var messages: [Int] = []
    inbox.receive(into: &messages)
    #expect(inbox.prepareToSleep())
    inbox.send(2)
    inbox.send(3)
    #expect(waker.count == 1)
    inbox.receive(into: &messages)
    #expect(messages == [2, 3])
  }

  @Test func `an owner that woke for another reason is not woken`() {
    let inbox = Inbox<Int>(waking: waker)
    #expect(inbox.prepareToSleep())
    inbox.cancelSleep()
    inbox.send(1)
    #expect(waker.count == 0)
  }

  @Test func `a closed inbox rejects messages, and wakes its owner to receive the last ones`() {
    let inbox = Inbox<Int>(waking: waker)
    inbox.send(1)
    inbox.close()
    #expect(!inbox.send(2))
    #expect(!inbox.isFinished)
    var messages: [Int] = []
    inbox.receive(into: &messages)
    #expect(messages == [1])
    #expect(inbox.isFinished)
    #expect(!inbox.prepareToSleep())
  }

  @Test func `a blocking inbox delivers every message of several threads, then its end`() {
    let inbox = BlockingInbox<Int>()
    let senders = ActivityCount()
    for thread in 0..<4 {
      senders?.enter()
      _ = SystemThread(named: "sender") {
        for message in 0..<1000 { _ = inbox.send(thread * 1000 + message) }
        senders?.leave()
      }
    }
    var received: [Int] = []
    while received.count < 4000, let messages = inbox.receive(waiting: 60) { received += messages }
    #expect(received.sorted() == Array(0..<4000))
    for thread in 0..<4 {
      let own = received.filter { $0 / 1000 == thread }
      #expect(own == own.sorted())
    }
    #expect(inbox.receive(waiting: 0) == [])
    inbox.close()
    #expect(inbox.receive(waiting: 60) == nil)
  }
}
