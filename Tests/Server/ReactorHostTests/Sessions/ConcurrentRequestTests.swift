import ReactorCore
import ReactorHost
import ReactorStreams
import Testing

/// The requests of many senders to one session, and of the observers of a shared stream.
struct ConcurrentRequestTests {
  /// Records each action with the request that executes it, in `mutate` and in an effect.
  private final class Recording: Reactor {
    typealias Action = String
    typealias Mutation = Int
    typealias State = Int
    let initialState = 0
    private let seen: Recorder<String>
    private let emit: @Sendable (String) -> Void
    private let observed: Observable<String>

    init(
      _ seen: Recorder<String>, emit: @escaping @Sendable (String) -> Void = { _ in },
      observing observed: Observable<String> = .never()
    ) {
      self.seen = seen
      self.emit = emit
      self.observed = observed
    }

    func transform(action: Observable<String>) -> Observable<String> {
      .merge(action, observed)
    }

    func mutate(action: String) -> Observable<Int> {
      seen.add("\(action) \(Self.sender)")
      if action == "emit" { emit("received") }
      return .run { [seen] send in
        seen.add("\(action) \(Self.sender)")
        send(1)
      }
    }

    func reduce(state: Int, mutation: Int) -> Int { state + mutation }

    private static var sender: String { RequestContext.current?.principal?.id ?? "none" }
  }

  private func submit(_ action: String, to session: any Session, by name: String) async {
    let context = RequestContext(
      id: "r-\(action)", principal: name == "none" ? nil : Principal(id: name))
    await withCheckedContinuation { continuation in
      do {
        try session.submit(
          Array("\"\(action)\"".utf8), ifAt: nil, key: nil, for: context, accepted: nil
        ) { _ in continuation.resume() }
      } catch {
        Issue.record(error)
        continuation.resume()
      }
    }
  }

  @Test func `each of 10,000 concurrent actions has the request of its sender`() async throws {
    let seen = Recorder<String>()
    var settings = HostSettings()
    settings.mailboxBound = 10_000
    settings.sessionEffectLimit = 10_000
    let host = Host(
      [ReactorRegistration("recording", summary: "") { Recording(seen) }], settings: settings)
    let session = try host.open("recording", "a")
    let names = (0..<10_000).map { $0.isMultiple(of: 7) ? "none" : "p\($0)" }
    await withTaskGroup(of: Void.self) { group in
      for name in names { group.addTask { await submit(name, to: session, by: name) } }
    }
    #expect(seen.values.sorted() == (names + names).map { "\($0) \($0)" }.sorted())
  }

  @Test(arguments: ["subject", "global"])
  func `an action that a stream of another session causes has no request`(
    source: String
  ) async throws {
    let seen = Recorder<String>()
    let subject = PublishSubject<String>()
    let global = Global("shared", "")
    let (emit, stream): (@Sendable (String) -> Void, Observable<String>) =
      source == "global"
      ? ({ try? global.set($0) }, global.asObservable().skip(1))
      : ({ subject.onNext($0) }, subject.asObservable())
    let host = Host(
      [
        ReactorRegistration("emitting", summary: "") { Recording(seen, emit: emit) },
        ReactorRegistration("observing", summary: "") { Recording(seen, observing: stream) },
      ], globals: [global])
    let emitter = try host.open("emitting", "a")
    let observers = try ["b", "c"].map { try host.open("observing", $0) }
    for observer in observers { await submit("note", to: observer, by: "eve") }
    await submit("emit", to: emitter, by: "ada")
    // The effects of the observers can end later. `mutate` and its effect record an entry each.
    try await eventually { seen.values.count == 10 }
    let recorded = ["emit ada", "note eve", "note eve", "received none", "received none"]
    #expect(seen.values.sorted() == (recorded + recorded).sorted())
  }
}
