import ReactorCore
import ReactorLog
import ReactorStreams
import Shares
import Synchronization
import TestSupport
import Testing

@testable import ReactorHost

/// The events of a followed session, which its commits and its end post from several threads.
struct SessionFollowerTests {
  /// A serial context that executes its work when the test does.
  private final class HeldContext: GlobalContext {
    private let work = Mutex<[@Sendable () -> Void]>([])

    var isCurrent: Bool { false }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
      self.work.withLock { $0.append(work) }
    }

    func beginObservation(of name: String) -> ValueObservation {
      ValueObservation(name: name, number: 1, isJoin: false)
    }

    func end(_ observation: ValueObservation) {}

    func deliver(
      _ value: OutsideValue, to observation: ValueObservation,
      _ work: @escaping @Sendable () -> Void
    ) {
      work()
    }

    let waitsForJoins = false

    func beginJoin(_ open: @escaping @Sendable () -> Void) { open() }

    func endJoin() {}

    func joining(_ connect: () -> Void) { connect() }

    /// Executes the next work, which another thread enqueues.
    func executeNext() async throws {
      try await eventually { work.withLock { !$0.isEmpty } }
      executeAll()
    }

    /// Executes the work that was enqueued.
    func executeAll() {
      let enqueued = work.withLock { work in
        defer { work = [] }
        return work
      }
      for work in enqueued { work() }
    }
  }

  private let context = HeldContext()
  private let received = Recorder<String>()

  private func follower() -> SessionFollower {
    SessionFollower(
      SessionKey(reactor: "list", id: "main"),
      among: HostedSessions(wait: .seconds(1), readsFromDisk: false, ledger: Ledger()), in: context
    ) { [received] result in
      switch result {
      case .success(let json): received.add(String(decoding: json, as: UTF8.self))
      case .failure(let error): received.add("\(error)")
      }
    }
  }

  private func state(_ version: Int) -> CommittedState {
    CommittedState(cursor: Cursor(epoch: "e", version: version), json: Array("\(version)".utf8))
  }

  @Test func `a State that is posted after the end does not replace it`() async throws {
    let follower = follower()
    follower.sessionDidCommit(state(1))
    follower.sessionDidEnd(.deleted)
    follower.sessionDidCommit(state(2))
    try await context.executeNext()
    #expect(received.values == ["ended(list/main)"])
  }

  @Test func `a State that precedes a delivered one is ignored`() async throws {
    let follower = follower()
    follower.sessionDidCommit(state(2))
    try await context.executeNext()
    follower.sessionDidCommit(state(1))
    // A State that is not ignored is enqueued by a task.
    for _ in 0..<100 { await Task.yield() }
    context.executeAll()
    follower.sessionDidCommit(state(3))
    try await context.executeNext()
    #expect(received.values == ["2", "3"])
  }
}
