import ReactorHost
import Synchronization
import Testing

@testable import ReactorHTTP

/// A client's place in the events, while the log takes its time.
@Suite(.timeLimit(.minutes(1)))
struct SubscriptionTests {
  /// Is told when there is something next.
  private final class Bell: StreamWaking {
    private let rung = Atomic(0)

    var count: Int { rung.load(ordering: .acquiring) }

    func wake(_ group: StreamGroup) {
      rung.add(1, ordering: .releasing)
    }
  }

  @Test func `a log that takes its time holds up nobody who asks for what comes next`() async {
    let source = SlowSource()
    let channels = EventChannels(bound: 4, background: WorkerPool(width: 1))
    let channel = channels.join(source, StreamView())
    let subscription = Subscription(
      channel, of: channels, seen: -1, shown: nil, everyVersion: true, replay: source.log)
    let bell = Bell()
    for group in subscription.groups { group.add(bell) }

    // Asked again and again, it answers at once, and the log is asked once.
    for _ in 0..<3 {
      guard case .idle = subscription.next() else {
        Issue.record("Nothing can be there yet.")
        return
      }
    }
    #expect(bell.count == 0)
    source.log.goOn()
    while bell.count == 0 { await Task.yield() }
    guard case .event(let event) = subscription.next() else {
      Issue.record("The log has given a state.")
      return
    }
    #expect(event.version == 0)
    #expect(source.log.readings == 1)
    subscription.close()
    #expect(channels.streamCount == 0)
  }
}

/// A session whose log answers when the test says so.
private final class SlowSource: StateSource {
  let log = SlowLog()

  let current = CommittedState(
    cursor: Cursor(epoch: "e", version: 0), json: Array("{}".utf8))

  func state(at version: Int) -> CommittedState { current }
  func replay(after version: Int?) -> any StateReplay { log }
  func observe(_ observer: any SessionObserver) -> CommittedState? { current }
  func stopObserving(_ observer: any SessionObserver) {}
  func changeSubscriberCount(by change: Int) {}
}

private final class SlowLog: StateReplay {
  private let isOpen = Atomic(false)
  private let count = Atomic(0)

  /// How often it was read.
  var readings: Int { count.load(ordering: .relaxed) }

  func goOn() {
    isOpen.store(true, ordering: .releasing)
  }

  func next(limit: Int) -> [CommittedState] {
    count.add(1, ordering: .relaxed)
    while !isOpen.load(ordering: .acquiring) {}
    return [
      CommittedState(cursor: Cursor(epoch: "e", version: 0), json: Array("{}".utf8))
    ]
  }
}
