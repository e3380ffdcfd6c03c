import ReactorCoding
import ReactorHost
import ReactorLog
import ReactorTransport
import Shares
import Synchronization
import Testing

@testable import ReactorHTTP

/// The views of one session, each with streams of its own.
@Suite(.timeLimit(.minutes(60)))
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

  @Test func `the views of a large State share its parsed form`() {
    let source = ObservedSource(count: 20_000)
    let channels = EventChannels(bound: 4, background: WorkerPool(width: 0))
    let views = (0..<40).map { number in
      channels.join(source, StreamView(format: .signals, name: "s\(number)"))
    }
    for version in 1...3 { source.commit(version) }
    let size = source.current.json.count
    #expect(channels.documents.size == 4 * size)
    for (number, channel) in views.enumerated() {
      guard case .event(let event) = channel.next(after: 2).0 else {
        Issue.record("View \(number) has no event.")
        return
      }
      #expect(event.kind == .signals && event.json.starts(with: Array("{\"s\(number)\":[3".utf8)))
    }
  }

  @Test func `the retained documents are bounded by their bytes`() {
    let cache = DocumentCache()
    for number in 0..<40 {
      let text = Array("[\(number),\"\(String(repeating: "x", count: 1 << 20))\"]".utf8)
      #expect(cache.document(text[...]) != nil)
      #expect(cache.size <= DocumentCache.bound)
    }
    let size = cache.size
    #expect(cache.document(Array("[1]".utf8)[...]) != nil)
    #expect(cache.size == size)
    #expect(cache.document(Array("[".utf8)[...]) == nil)
  }

  @Test func `streams that begin at one version share the event of a large State`() {
    for (count, shares) in [(20_000, true), (10, false)] {
      let source = ObservedSource(count: count)
      let channels = EventChannels(bound: 4, background: WorkerPool(width: 0))
      let channel = channels.join(source, StreamView())
      let current = source.current
      let events = (0..<2).map { _ in channel.whole(current.cursor, current.json[...]) }
      let addresses = events.map { event in
        event.chunk.framed.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
      }
      #expect((addresses[0] == addresses[1]) == shares)
      source.commit(1)
      let latest = channel.whole(source.current.cursor, source.current.json[...])
      #expect(latest.version == 1 && latest.json == source.current.json[...])
    }
  }

  /// The only thread of the pool is busy until both sources have committed.
  @Test func `the further views of one client do not delay those of another one`() async {
    let pool = WorkerPool(width: 1)
    let channels = EventChannels(bound: 4, background: pool)
    let order = WakeOrder()
    let sources = (0..<2).map { _ in ObservedSource(count: 20_000) }
    let first = EventChannels.firstViews
    for number in 0..<first + 20 {
      let channel = channels.join(
        sources[0], StreamView(format: .signals, name: "s\(number)"), of: .client(nil))
      if number >= first { channel.group.add(order.waker(number)) }
    }
    let channel = channels.join(sources[1], StreamView(format: .patches), of: .streams)
    channel.group.add(order.waker(0))
    let isHeld = Atomic(true)
    pool.enqueue { while isHeld.load(ordering: .acquiring) {} }
    for source in sources { source.commit(1) }
    isHeld.store(false, ordering: .releasing)
    while order.numbers.count < 21 { await Task.yield() }
    #expect(order.numbers.firstIndex(of: 0) ?? 99 <= 2)
  }

  /// The pool has one thread, which releases the bytes.
  @Test func `beyond the budget of memory the views of the client with the most bytes pay`() async {
    let ledger = Ledger(memory: 500_000)
    let channels = EventChannels(bound: 100, background: WorkerPool(width: 1), ledger: ledger)
    let (greedy, other) = (
      ledger.account(of: .principal("greedy")), ledger.account(of: .principal("other"))
    )
    let small = ObservedSource(count: 3_000)
    let plain = channels.join(small, StreamView(), of: .client(other))
    let patches = channels.join(small, StreamView(format: .patches), of: .client(other))
    small.commit(1)
    #expect(plain.retainedBytes > 6_000 && patches.retainedBytes > 6_000)
    let held = other.held(.views)

    let large = ObservedSource(count: 20_000)
    let whole = channels.join(large, StreamView(), of: .client(greedy))
    var version = 0
    while ledger.used(.views) <= 400_000 {
      version += 1
      large.commit(version)
    }
    let slow = EventSubscription(
      whole, of: channels, seen: 0, shown: nil, everyVersion: false)
    ledger.take(.events, 200_000, for: nil)
    // The events of the channel are dropped; the stream continues with the latest State.
    while whole.retainedBytes > 100_000 {
      version += 1
      large.commit(version)
      await Task.yield()
    }
    var received: Int?
    while received != version {
      if case .event(let event) = slow.next() { received = event.version }
      await Task.yield()
    }
    #expect(whole.end == nil)

    // Views that need the State before the next event lose their streams.
    let views = (0..<15).map { number in
      channels.join(large, StreamView(format: .signals, name: "s\(number)"), of: .client(greedy))
    }
    while !views.contains(where: { $0.end != nil }) {
      version += 1
      large.commit(version)
      await Task.yield()
    }
    #expect(patches.end == nil && plain.end == nil && other.held(.views) == held)
    for channel in views + [plain, patches] { channels.leave(channel) }
    slow.close()
  }

  /// The pool has no threads: the caller ends the streams.
  @Test func `streams of the largest sessions of a client end`() {
    let ledger = Ledger(memory: 500_000)
    let channels = EventChannels(bound: 4, background: WorkerPool(width: 0), ledger: ledger)
    let (greedy, other) = (
      ledger.account(of: .principal("greedy")), ledger.account(of: .principal("other"))
    )
    let sources = [(100, greedy), (20_000, greedy), (20_000, greedy), (20_000, other)].map {
      ObservedSource(count: $0, of: $1)
    }
    let joined = sources.flatMap { source in
      [StreamView(), StreamView(format: .signals, name: "s")].map { channels.join(source, $0) }
    }
    let waker = EndCounter()
    for channel in joined { channel.group.add(waker) }
    // With those of the views, there are too many bytes by less than a large session has.
    ledger.take(.states, 430_000, for: greedy)
    channels.endStreams(ofSessionsOf: greedy)
    let ended = joined.indices.filter { joined[$0].end == .interrupted }
    #expect(ended == [2, 3] || ended == [4, 5])
    #expect(waker.ends.load(ordering: .relaxed) == 2)
    #expect(ledger.ended(.states) == 1)
    #expect(joined[ended[0]].retainedBytes == 0 && sources[ended[0] / 2].observerCount == 0)
    // A later stream gets another channel, and an event again.
    let source = sources[ended[0] / 2]
    let next = channels.join(source, StreamView())
    source.commit(1)
    guard case .event = next.next(after: 0).0 else {
      Issue.record("The view has no event.")
      return
    }
    channels.leave(joined[ended[0]])
    source.commit(2)
    #expect(next.end == nil && next.retainedBytes > 0)
    ledger.release(.states, 430_000, of: greedy)
  }

  /// The pool has no threads: a read begins where it is requested.
  @Test func `beyond the budget of memory the replays of the client with the most bytes end`() {
    let ledger = Ledger(memory: 500_000)
    let channels = EventChannels(bound: 4, background: WorkerPool(width: 0), ledger: ledger)
    let (greedy, other) = (
      ledger.account(of: .principal("greedy")), ledger.account(of: .principal("other"))
    )
    let source = ObservedSource(count: 20_000)
    let size = source.current.json.count
    func replay(of account: Account) -> EventSubscription {
      let client = WorkOwner.client(account)
      let replay = EventSubscription(
        channels.join(source, StreamView(), of: client), of: channels, client: client, seen: -1,
        shown: nil, everyVersion: true, replay: EndlessReplay(source))
      _ = replay.next()
      return replay
    }
    let modest = replay(of: other)
    // The State of the fold, and the two events that were read, of which the client has pulled one.
    #expect(modest.countedBytes > 4 * size && modest.countedBytes < 5 * size)
    #expect(other.held(.views) >= modest.countedBytes)

    let waker = EndCounter()
    var replays: [EventSubscription] = []
    while ledger.ended(.views) == 0 {
      let replay = replay(of: greedy)
      for group in replay.groups.dropFirst() { group.add(waker) }
      replays.append(replay)
    }
    let ended = replays.filter { $0.countedBytes == 0 }
    #expect(ended.count == ledger.ended(.views))
    for replay in ended {
      guard case .ended(.interrupted) = replay.next() else {
        Issue.record("The stream has not ended.")
        return
      }
    }
    guard case .event = modest.next() else {
      Issue.record("The other client has no event.")
      return
    }
    for replay in replays + [modest] { replay.close() }
    #expect(ledger.used(.views) == 0)
  }

  @Test func `a view counts nothing after its end`() async {
    let ledger = Ledger()
    let source = ObservedSource(count: 3_000)
    do {
      let channels = EventChannels(bound: 4, background: WorkerPool(width: 0), ledger: ledger)
      for format in [StreamView.Format.states, .patches, .changes] {
        let channel = channels.join(source, StreamView(format: format))
        source.commit(1)
        #expect(channel.retainedBytes > 0)
        channels.leave(channel)
      }
      #expect(source.observerCount == 0)
    }
    #expect(ledger.used(.views) == 0)
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
private final class ObservedSource: StateSource, HeldSource {
  let account: Account?
  private let state = Mutex((version: 0, observers: [any SessionObserver]()))
  /// The number of elements of a State.
  private let count: Int

  init(count: Int = 30, of account: Account? = nil) {
    self.count = count
    self.account = account
  }

  var observerCount: Int { state.withLock { $0.observers.count } }

  var current: CommittedState { committed(at: state.withLock { $0.version }) }

  private func committed(at version: Int) -> CommittedState {
    CommittedState(
      cursor: Cursor(epoch: "e", version: version),
      json: Array("[\((0..<count).map { _ in "\(version)" }.joined(separator: ","))]".utf8))
  }

  func commit(_ version: Int) {
    let observers = state.withLock { state in
      state.version = version
      return state.observers
    }
    for observer in observers { observer.sessionDidCommit(committed(at: version)) }
  }

  func state(at version: Int) async throws(HistoryError) -> CommittedState {
    committed(at: version)
  }

  func replay(after version: Int?) async throws(HistoryError) -> any StateReplay {
    throw .unknownVersion(oldest: 0, latest: 0)
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

/// A history that repeats the latest State.
private final class EndlessReplay: StateReplay {
  private let source: ObservedSource

  init(_ source: ObservedSource) { self.source = source }

  func next(limit: Int) async throws(HistoryError) -> [CommittedState] {
    [source.current, source.current]
  }
}

/// Records which of several groups are woken, in order.
private final class WakeOrder: Sendable {
  private final class Waker: StreamWaking {
    private let order: WakeOrder
    private let number: Int

    init(_ order: WakeOrder, _ number: Int) {
      (self.order, self.number) = (order, number)
    }

    func wake(_ group: StreamGroup) {
      order.woken.withLock { $0.append(number) }
    }
  }

  private let woken = Mutex<[Int]>([])

  var numbers: [Int] { woken.withLock { $0 } }

  func waker(_ number: Int) -> any StreamWaking { Waker(self, number) }
}

/// Counts the ends of groups.
private final class EndCounter: StreamWaking {
  let ends = Atomic(0)

  func wake(_: StreamGroup) {}

  func end(_: StreamGroup) { ends.add(1, ordering: .relaxed) }
}
