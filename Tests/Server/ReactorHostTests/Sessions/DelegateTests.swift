import Dispatch
import ReactorHost
import ReactorLog
import ReactorStreams
import Synchronization
import Testing

/// `ReactorDelegate.didCommit`.
struct DelegateTests {
  private struct Call: Equatable {
    let old: Int
    let new: Int
    let session: String
  }

  /// Records calls; the first one waits until it is released.
  private final class Delegate: ReactorDelegate {
    typealias Reactor = SampleReactor

    var observesCommits: Bool { true }
    let calls = Recorder<Call>()
    private let isFirst = Atomic(true)
    let began = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)

    func didCommit(
      _ state: SampleReactor.State, from old: SampleReactor.State, in session: SessionKey
    ) {
      calls.add(Call(old: old.value, new: state.value, session: session.id))
      guard isFirst.exchange(false, ordering: .relaxed) else { return }
      began.signal()
      release.wait()
    }
  }

  private func host(_ delegate: Delegate) -> Host {
    let name = Global<String?>("name", nil)
    return Host(
      [
        ReactorRegistration("sample", summary: "A sample", delegate: delegate) {
          SampleReactor(effects: EffectBoard(), name: name.asObservable())
        }
      ], globals: [name])
  }

  private func session(_ id: String, of host: Host) throws -> any Session {
    try host.open("sample", id)
  }

  private func add(_ session: any Session) throws {
    try session.submit(
      Array(#"{"add":1}"#.utf8), ifAt: nil, key: nil, for: nil, accepted: nil
    ) { _ in }
  }

  @Test func `a session that only its delegate observes is evicted, and loaded with its delegate`()
    async throws
  {
    let delegate = Delegate()
    let host = host(delegate)
    let reactor = try #require(host.reactor("sample"))
    try add(session("a", of: host))
    while delegate.calls.values.isEmpty { await Task.yield() }
    for _ in 0..<2 { reactor.sweep() }
    #expect(reactor.liveSessionCount == 1, "the delegate is being called")
    delegate.release.signal()
    while reactor.liveSessionCount > 0 {
      reactor.sweep()
      await Task.yield()
    }
    try add(session("a", of: host))
    while delegate.calls.values.count < 2 { await Task.yield() }
    #expect(
      delegate.calls.values == [
        Call(old: 0, new: 1, session: "a"), Call(old: 1, new: 2, session: "a"),
      ])
  }

  @Test func `a delegate that falls behind gets the newest State, and no commit waits for it`()
    async throws
  {
    let delegate = Delegate()
    let host = host(delegate)
    let session = try session("a", of: host)
    try add(session)
    // Yield, which blocks no thread of the pool: the delegate is called on a thread of its own.
    while delegate.calls.values.isEmpty { await Task.yield() }
    for _ in 0..<9 { try add(session) }
    #expect(session.current.version == 10)
    #expect(delegate.calls.values == [Call(old: 0, new: 1, session: "a")])
    // Another session is not delayed.
    try add(try self.session("b", of: host))
    while delegate.calls.values.count < 2 { await Task.yield() }
    delegate.release.signal()
    while delegate.calls.values.count < 3 { await Task.yield() }
    #expect(
      delegate.calls.values.dropFirst() == [
        Call(old: 0, new: 1, session: "b"), Call(old: 1, new: 10, session: "a"),
      ])
  }
}
