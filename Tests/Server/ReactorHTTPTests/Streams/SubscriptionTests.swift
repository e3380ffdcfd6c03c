import ReactorHost
import ReactorLog
import ReactorTransport
import Synchronization
import Testing

@testable import ReactorHTTP

/// A subscription over a slow log.
@Suite(.timeLimit(.minutes(60)))
struct SubscriptionTests {
  /// Counts its wakes.
  private final class WakeCounter: StreamWaking {
    private let wakes = Atomic(0)

    var count: Int { wakes.load(ordering: .acquiring) }

    func wake(_ group: StreamGroup) {
      wakes.add(1, ordering: .releasing)
    }
  }

  @Test func `a slow log does not block next()`() async {
    let source = SlowSource()
    let channels = EventChannels(bound: 4, background: WorkerPool(width: 1))
    let channel = channels.join(source, StreamView())
    let subscription = EventSubscription(
      channel, of: channels, seen: -1, shown: nil, everyVersion: true, replay: source.log)
    let counter = WakeCounter()
    for group in subscription.groups { group.add(counter) }

    // Repeated pulls return immediately, and the log is read once.
    for _ in 0..<3 {
      guard case .idle = subscription.next() else {
        Issue.record("Nothing can be there yet.")
        return
      }
    }
    #expect(counter.count == 0)
    source.log.goOn()
    while counter.count == 0 { await Task.yield() }
    guard case .event(let event) = subscription.next() else {
      Issue.record("The log has given a state.")
      return
    }
    #expect(event.version == 0)
    #expect(source.log.readings == 1)
    subscription.close()
    #expect(channels.streamCount == 0)
  }

  /// The pool has no threads: a read begins where it is requested.
  @Test func `many streams that replay a history read it in turn, and closed ones do not`() {
    let source = SlowSource()
    let channels = EventChannels(bound: 4, background: WorkerPool(width: 0))
    let log = HeldLog()
    let subscriptions = (0..<50).map { index in
      EventSubscription(
        channels.join(source, StreamView()), of: channels,
        client: .client(numbered: UInt32(index)), seen: -1, shown: nil,
        everyVersion: true, replay: log)
    }
    for subscription in subscriptions { _ = subscription.next() }
    #expect(log.readings == HistoryReads.width)
    for subscription in subscriptions.dropFirst(20) { subscription.close() }
    while log.completeOne() {}
    #expect(log.readings == 20)
    for subscription in subscriptions.prefix(20) {
      guard case .event(let event) = subscription.next() else {
        Issue.record("The log has given a state.")
        return
      }
      #expect(event.version == 0)
    }
  }
}

/// A session with a log whose reads the test completes.
private final class SlowSource: StateSource {
  let log = SlowLog()

  let current = CommittedState(
    cursor: Cursor(epoch: "e", version: 0), json: Array("{}".utf8))

  func state(at version: Int) async throws(HistoryError) -> CommittedState { current }

  func replay(after version: Int?) async throws(HistoryError) -> any StateReplay { log }

  func observe(_ observer: any SessionObserver) -> CommittedState? { current }
  func stopObserving(_ observer: any SessionObserver) {}
  func changeStreams(of owner: StreamOwner, by change: Int) -> Int { 0 }
}

private final class SlowLog: StateReplay {
  private let isOpen = Atomic(false)
  private let count = Atomic(0)

  /// The number of reads.
  var readings: Int { count.load(ordering: .relaxed) }

  func goOn() {
    isOpen.store(true, ordering: .releasing)
  }

  func next(limit: Int) async throws(HistoryError) -> [CommittedState] {
    count.add(1, ordering: .relaxed)
    while !isOpen.load(ordering: .acquiring) {}
    return [CommittedState(cursor: Cursor(epoch: "e", version: 0), json: Array("{}".utf8))]
  }
}

/// A log whose reads the test completes.
private final class HeldLog: StateReplay {
  private struct State {
    var count = 0
    var readers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  /// The number of reads.
  var readings: Int { state.withLock { $0.count } }

  func next(limit: Int) async throws(HistoryError) -> [CommittedState] {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.count += 1
        state.readers.append(continuation)
      }
    }
    return [CommittedState(cursor: Cursor(epoch: "e", version: 0), json: Array("{}".utf8))]
  }

  /// Completes the read that began first; returns whether there was one.
  func completeOne() -> Bool {
    let reader = state.withLock { $0.readers.isEmpty ? nil : $0.readers.removeFirst() }
    reader?.resume()
    return reader != nil
  }
}
