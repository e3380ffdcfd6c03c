import ReactorCore
import ReactorLog
import ReactorStreams
import Synchronization
import Testing

@testable import ReactorHost

/// The slices of long work, and the turns of clients between them.
@Suite(.timeLimit(.minutes(60)))
struct SliceTests {
  private final class Clock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func advance(by duration: Duration) { time.withLock { $0 += duration } }
  }

  @Test func `a slice is over after 5 ms or 1 MiB`() {
    let clock = Clock()
    var slice = WorkSlice { clock.now }
    var isOver = slice.isOver(after: 1 << 19)
    #expect(!isOver)
    clock.advance(by: .microseconds(4999))
    isOver = slice.isOver()
    #expect(!isOver)
    clock.advance(by: .microseconds(1))
    isOver = slice.isOver()
    #expect(isOver)
    var other = WorkSlice { clock.now }
    isOver = other.isOver(after: (1 << 20) - 1)
    #expect(!isOver)
    isOver = other.isOver(after: 1)
    #expect(isOver)
    #expect(other.hasEnded)
  }

  @Test
  func
    `a value of a global reaches many sessions in slices, each after the commit of the one before`()
    async throws
  {
    let stage = Stage()
    let sessions = try (0..<600).map { try stage.session("\($0)", for: .ensure) }
    stage.log.set(.held)
    async let value = stage.name.set("Ada")
    func pending() -> Int { sessions.count { $0.current.version == 0 } }
    var most = 0
    while pending() > 0 {
      // The broadcast waits for the commit of its last session, or has ended.
      let count = stage.log.heldCount
      most = max(most, count)
      stage.log.releaseAll()
      await Task.yield()
    }
    _ = try await value
    #expect(most > 0)
    #expect(most <= Broadcast.sessionsPerSlice + 1)
  }

  /// A text that each mutation replaces; `reduce` counts its calls.
  private final class Large: Reactor {
    struct State: Codable, Sendable { var text = "" }
    typealias Action = String
    typealias Mutation = String
    let counts: Counts
    let initialState = State()

    init(_ counts: Counts) { self.counts = counts }

    func mutate(action: String) -> Observable<String> { .just(action) }
    func reduce(state: State, mutation: String) -> State {
      counts.reductions.add(1, ordering: .relaxed)
      counts.didReduce.withLock { $0 }?()
      return State(text: mutation)
    }
  }

  private final class Counts: Sendable {
    let reductions = Atomic(0)
    let didReduce = Mutex<(@Sendable () -> Void)?>(nil)
  }

  @Test(arguments: [40, 200]) func `a long fold lets another client take its turn after a slice`(
    length: Int
  ) async throws {
    let counts = Counts()
    var settings = HostSettings()
    settings.backgroundThreads = 1
    settings.mutationCheck = .never
    settings.snapshotInterval = .max
    let registration = ReactorRegistration("large", summary: "") { Large(counts) }
    let host = Host([registration], settings: settings)
    let session = try host.open("large", "a", for: .ensure)
    let text = String(repeating: "x", count: 300_000)
    for _ in 0..<length { try session.send("\"\(text)\"") }
    counts.reductions.store(0, ordering: .relaxed)
    let seen = Mutex<Int?>(nil)
    // Another client's job arrives while the first entry is folded.
    counts.didReduce.withLock { didReduce in
      didReduce = {
        counts.didReduce.withLock { $0 = nil }
        host.background.enqueue(for: WorkOwner("other")) {
          seen.withLock { $0 = counts.reductions.load(ordering: .relaxed) }
        }
      }
    }
    await withCheckedContinuation { continuation in
      host.background.start(for: WorkOwner("first")) {
        _ = try? await session.state(at: length - 1)
        continuation.resume()
      }
    }
    #expect(counts.reductions.load(ordering: .relaxed) == length - 1)
    // 1 MiB are four entries.
    #expect(try #require(seen.withLock { $0 }) <= 4)
  }
}
