import ReactorHost
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import ReactorHost

/// Drives a ``CommitMachine`` with random events, as a session, its log and its clients would, and
/// checks each result against what a simple model expects.
///
/// The model is a list of reduced mutations of which a prefix is committed.
struct CommitModel {
  /// An observer that records the versions and the end.
  final class Observer: SessionObserver {
    struct Seen {
      var versions: [Int] = []
      var ends = 0
    }

    let seen = Mutex(Seen())

    func sessionDidCommit(_ state: CommittedState) {
      seen.withLock { $0.versions.append(state.version) }
    }

    func sessionDidEnd(_ end: SessionEnd) {
      seen.withLock { $0.ends += 1 }
    }
  }

  private struct Request {
    var version = 0
    var key: IdempotencyKey?
    var isDecided = false
    var replies = 0
  }

  private typealias Machine = CommitMachine<Int>

  private var machine: Machine
  private var random: SplitMix64

  // The model.
  private var reduced = 0
  private var committed = 0
  /// Versions whose state was not encoded.
  private var omitted: Set<Int> = []
  private var hasEnded = false
  private var requests: [Request] = []
  private var observers: [(observer: Observer, base: Int, retains: Bool)] = []
  private var isEvicted = false
  private let continuations = Recorder<(number: Int, isCommitted: Bool)>()
  private var awaited: [Int] = []

  // The log.
  private var announcements = 0
  private var inFlight: (batch: LogBatch, version: Int)?
  private var isPublishing = false
  private var isEnding = false

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    machine = Machine(
      at: CommittedState(cursor: Cursor(epoch: "e", version: 0), json: []),
      lastActiveAt: Timestamp(milliseconds: 0), isStored: false, lastSnapshot: 0)
  }

  /// Drives the machine through random events, and then until nothing is pending.
  mutating func run(events: Int) {
    for _ in 0..<events { step() }
    if isEnding { cancelEnding() }
    while announcements > 0 || inFlight != nil || isPublishing {
      if isPublishing { endPublication() }
      if inFlight != nil { commit() }
      if announcements > 0 { requestBatch() }
    }
    checkTheEnd()
  }

  private mutating func step() {
    switch random.next(below: 16) {
    case 0..<5: turn()
    case 5..<8: if announcements > 0 { requestBatch() }
    case 8..<10: if inFlight != nil { commit() }
    case 10, 11: if isPublishing { endPublication() }
    case 12: changeObservers()
    case 13: wait()
    case 14: snapshot()
    default: rare()
    }
  }

  // MARK: Turns

  private mutating func turn() {
    let request = random.next(below: 3) > 0 ? begin() : nil
    let count = random.next(below: 4)
    for index in 0..<count {
      reduce(for: request, isLast: index == count - 1)
      // During a turn, the machine hands no batch to the log.
      if announcements > 0, random.next(below: 4) == 0 {
        announcements -= 1
        let taken = machine.takeBatch(at: Stopwatch())
        #expect(taken == nil)
      }
    }
    if let request { finish(request) }
    endTurn()
  }

  private mutating func begin() -> Int? {
    var request = Request()
    if random.next(below: 3) == 0 {
      let key = IdempotencyKey(stored: "\(random.next(below: 6))", body: "")
      let isFree = !requests.contains { $0.key == key && $0.replies == 0 }
      switch machine.use(of: key) {
      case .free(let releases):
        #expect(isFree || hasEnded)
        let isClaimed = machine.claim(key, at: releases)
        let isClaimedAgain = machine.claim(key, at: releases)
        // After the end, requests are rejected and need no key.
        #expect(isClaimed && (hasEnded || !isClaimedAgain), "a key is claimed once")
      case .executing(let other):
        #expect(!isFree && other == key)
        return nil
      }
      request.key = key
    }
    requests.append(request)
    return requests.count - 1
  }

  private mutating func reduce(for request: Int?, isLast: Bool) {
    let isOmitted = random.next(below: 3) == 0
    let version = machine.reduced(.reduced([]), to: isOmitted ? nil : Self.json(reduced + 1))
    guard !hasEnded else {
      #expect(version == nil)
      return
    }
    reduced += 1
    #expect(version == reduced)
    if isOmitted, !isLast { omitted.insert(reduced) }
    if let request { requests[request].version = reduced }
  }

  private mutating func finish(_ index: Int) {
    let request = requests[index]
    requests[index].isDecided = true
    let isRejected = request.version == 0 && random.next(below: 4) == 0
    if isRejected { requests[index].version = reduced }
    let decision =
      isRejected
      ? machine.rejected(index, key: request.key)
      : machine.finished(
        index, key: request.key, version: request.version, journalled: [], failure: nil,
        at: Timestamp(milliseconds: 1))
    switch decision {
    case .respond(let state): respond(index, state.version)
    case .wait: #expect(!hasEnded)
    case .ended:
      #expect(hasEnded)
      requests[index].replies += 1
    }
    // The key of a rejected request is free immediately.
    if isRejected { requests[index].key = nil }
  }

  private mutating func endTurn() {
    switch machine.endTurn() {
    case .rest: break
    case .announce: announcements += 1
    case .encodeState:
      machine.encodedLastState(Self.json(reduced))
      endTurn()
    }
  }

  // MARK: The log

  private mutating func requestBatch() {
    announcements -= 1
    guard let (batch, version) = machine.takeBatch(at: Stopwatch()) else { return }
    #expect(!hasEnded && !isEnding && inFlight == nil && !isPublishing)
    #expect(!batch.isEmpty)
    #expect(version == committed)
    #expect(
      batch.entries.map(\.version)
        == Array(committed..<committed + batch.entries.count).map { $0 + 1 })
    inFlight = (batch, version)
  }

  private mutating func commit() {
    guard let (batch, _) = inFlight else { return }
    inFlight = nil
    if random.next(below: 12) == 0 { return rejectBatch() }
    let publication = machine.committed(snapshotInterval: 3)
    #expect(publication != nil, "a batch that the log commits is published, also after the end")
    guard let publication else { return }
    #expect(publication.version == committed)
    #expect(publication.states.count == batch.entries.count)
    committed += batch.entries.count
    #expect(publication.latest.version == committed)
    if committed > 0 { #expect(publication.latest.json == Self.json(committed)) }
    isPublishing = true
    var version = publication.version
    publication.states.forEach { json in
      version += 1
      guard let json else { return }
      #expect(json == Self.json(version))
      let state = CommittedState(cursor: Cursor(epoch: "e", version: version), json: json)
      for observer in publication.observers { observer.sessionDidCommit(state) }
    }
    for proceed in publication.continuations { proceed(true) }
    publication.replies.forEach { respond($0.reply, committed) }
    if let snapshot = publication.snapshot { #expect(snapshot.version <= committed) }
  }

  private mutating func rejectBatch() {
    guard let closing = machine.rejectedBatch(.full) else { return end(.interrupted, .full) }
    #expect(hasEnded)
    close(closing)
  }

  private mutating func endPublication() {
    isPublishing = false
    switch machine.published() {
    case .rest: break
    case .announce: announcements += 1
    case .close(let closing): close(closing)
    }
  }

  private mutating func respond(_ index: Int, _ version: Int) {
    requests[index].replies += 1
    #expect(requests[index].replies == 1, "a request gets one response")
    #expect(version == committed && version >= requests[index].version)
    if let key = requests[index].key {
      if case .executing = machine.use(of: key) { Issue.record("the key is not released") }
    }
  }

  // MARK: Observers, continuations and snapshots

  private mutating func changeObservers() {
    if let index = observers.lastIndex(where: { $0.retains }), random.next(below: 3) == 0 {
      let (observer, base, _) = observers.remove(at: index)
      machine.remove(observer)
      check(observer, base)
    } else {
      let observer = Observer()
      let retains = random.next(below: 4) > 0
      let base = machine.add(observer, retains: retains)
      #expect((base == nil) == hasEnded)
      #expect(base.map { $0.version == committed } ?? true)
      if base != nil { observers.append((observer, committed, retains)) }
    }
  }

  private func check(_ observer: Observer, _ base: Int) {
    let versions = observer.seen.withLock { $0.versions }
    #expect(versions == (base..<committed).map { $0 + 1 }.filter { !omitted.contains($0) })
  }

  private mutating func wait() {
    let number = awaited.count
    let version = reduced
    let waits = machine.whenAllIsCommitted { [continuations] in
      continuations.add((number, $0))
    }
    awaited.append(waits ? version : -1)
    if !waits { #expect(hasEnded || version == committed) }
  }

  private mutating func snapshot() {
    guard let version = machine.beginSnapshot(interval: 3) else { return }
    #expect(version == reduced && !hasEnded)
    let savesNow = machine.add(Snapshot(version: version, state: []))
    #expect(savesNow == (version == committed))
  }

  // MARK: The end

  private mutating func rare() {
    switch random.next(below: 12) {
    case 0: end(.deleted, nil)
    case 1:
      let wasNeeded =
        reduced > committed || observers.contains { $0.retains } || inFlight != nil || isPublishing
        || announcements > 0 || requests.contains { $0.isDecided && $0.replies == 0 }
      if machine.evict() {
        #expect(hasEnded || !wasNeeded)
        isEvicted = isEvicted || !hasEnded
        hasEnded = true
      }
    case 2..<6:
      if !isEnding {
        machine.beginEnding()
        isEnding = true
      }
    default: if isEnding { cancelEnding() }
    }
  }

  private mutating func cancelEnding() {
    isEnding = false
    if machine.cancelEnding() { announcements += 1 }
  }

  private mutating func end(_ end: SessionEnd, _ fault: LogError?) {
    let action = machine.end(end, fault: fault)
    switch action {
    case .none: #expect(hasEnded)
    case .closeLater:
      #expect(!hasEnded)
      #expect(isPublishing)
    case .close(let closing):
      #expect(!hasEnded)
      #expect(!isPublishing)
      if let inFlight {
        let last = committed + inFlight.batch.entries.count
        #expect(closing.observers.isEmpty)
        closing.replies.forEach { #expect($0.version > last || $0.batch > 0) }
      }
      close(closing)
    }
    hasEnded = true
    #expect(machine.hasEnded)
  }

  private mutating func close(_ closing: Machine.Closing) {
    for observer in closing.observers { observer.sessionDidEnd(closing.end) }
    closing.replies.forEach { requests[$0.reply].replies += 1 }
    for proceed in closing.continuations { proceed(false) }
  }

  /// Checks that each request got one reply, each observer at most one end, and each continuation
  /// one call.
  private func checkTheEnd() {
    for request in requests where request.isDecided { #expect(request.replies == 1) }
    for (observer, base, _) in observers {
      check(observer, base)
      #expect(observer.seen.withLock { $0.ends } == (hasEnded && !isEvicted ? 1 : 0))
    }
    let called = continuations.values
    #expect(
      called.map(\.number).sorted() == awaited.indices.filter { awaited[$0] >= 0 })
    for (number, isCommitted) in called where isCommitted {
      #expect(awaited[number] <= committed)
    }
    guard !hasEnded else { return }
    #expect(committed == reduced)
    #expect(!called.contains { !$0.isCommitted })
  }

  private static func json(_ version: Int) -> [UInt8] {
    Array("\(version)".utf8)
  }
}

extension SplitMix64 {
  mutating func next(below bound: Int) -> Int {
    Int(next() % UInt64(bound))
  }
}

extension LogEntry {
  /// An entry whose version the machine sets.
  static func reduced(_ mutation: [UInt8]) -> LogEntry {
    LogEntry(version: 0, at: Timestamp(milliseconds: 1), action: nil, mutation: mutation)
  }
}
