import ReactorCoding
import ReactorHost
import ReactorLog
import Synchronization
import Testing

@testable import ReactorHTTP

/// The views of one session, each with streams of its own.
@Suite(.timeLimit(.minutes(10)))
struct StreamViewTests {
  /// The only thread of the pool is busy until the test releases it.
  @Test func `the first views get their events with the commit, further ones in the background`()
    async throws
  {
    let source = ObservedSource()
    let pool = WorkerPool(width: 1)
    let channels = EventChannels(bound: 4, background: pool)
    let isHeld = Atomic(true)
    pool.enqueue { while isHeld.load(ordering: .acquiring) {} }
    let first = EventChannels.firstViews
    let views = try (0..<first + 4).map { number in
      channels.join(source, StreamView(pointer: try JSONPointer("/\(number)")))
    }
    let whole = channels.join(source, StreamView())
    func ready() -> [Bool] {
      (views + [whole]).map { channel in
        if case .event = channel.next(after: 0).0 { true } else { false }
      }
    }
    source.commit(1)
    #expect(ready() == Array(repeating: true, count: first) + [false, false, false, false, true])
    isHeld.store(false, ordering: .releasing)
    while ready().contains(false) { await Task.yield() }

    // A view without streams frees its place among the first views.
    for channel in views + [whole] { channels.leave(channel) }
    let next = channels.join(source, StreamView(pointer: try JSONPointer("/29")))
    let isHeldAgain = Atomic(true)
    pool.enqueue { while isHeldAgain.load(ordering: .acquiring) {} }
    source.commit(2)
    guard case .event(let event) = next.next(after: 1).0 else {
      Issue.record("The view has no event.")
      return
    }
    #expect(event.version == 2)
    isHeldAgain.store(false, ordering: .releasing)
  }

  @Test func `a further view retains less`() {
    var buffer = EventBuffer(bound: 100, byteBound: EventBuffer.extraByteBound, version: 0)
    for version in 1...10 {
      buffer.append(
        StreamEvent(
          .whole, Cursor(epoch: "e", version: version),
          Array(repeating: 0x78, count: 30_000)[...], follows: version - 1))
    }
    guard case .behind = buffer.next(after: 7), case .event = buffer.next(after: 9) else {
      Issue.record("Two events fit.")
      return
    }
  }
}

/// A session without a log.
private final class ObservedSource: StateSource {
  private let state = Mutex((version: 0, observers: [any SessionObserver]()))

  var current: CommittedState { Self.state(at: state.withLock { $0.version }) }

  private static func state(at version: Int) -> CommittedState {
    CommittedState(
      cursor: Cursor(epoch: "e", version: version),
      json: Array("[\((0..<30).map { _ in "\(version)" }.joined(separator: ","))]".utf8))
  }

  func commit(_ version: Int) {
    let observers = state.withLock { state in
      state.version = version
      return state.observers
    }
    for observer in observers { observer.sessionDidCommit(Self.state(at: version)) }
  }

  func state(at version: Int, completion: @escaping HistoryCompletion<CommittedState>) {
    completion(.success(Self.state(at: version)))
  }

  func replay(after version: Int?, completion: @escaping HistoryCompletion<any StateReplay>) {
    completion(.failure(.unknownVersion(oldest: 0, latest: 0)))
  }

  func observe(_ observer: any SessionObserver) -> CommittedState? {
    state.withLock { $0.observers.append(observer) }
    return current
  }

  func stopObserving(_ observer: any SessionObserver) {
    state.withLock { $0.observers.removeAll { $0 === observer } }
  }

  func changeStreams(of owner: StreamOwner, by change: Int) -> Int { 0 }
}
