import ReactorCore
import ReactorStreams
import Testing

/// Mutations that follow from mutations.
struct FollowingTests {
  /// Its state is the list of its mutations; a test provides its functions.
  final class FollowingScript: Reactor, FollowingReactor {
    typealias Action = String
    typealias Mutation = String
    typealias State = [String]

    let initialState: [String] = []
    var mutating: (String) -> Observable<String> = { .just($0) }
    var following: (String) -> Observable<String> = { _ in .empty() }
    var transforming: (Observable<String>) -> Observable<String> = { $0 }
    let statesSeen = Recorder<[String]>()
    let failures = Recorder<String>()

    func mutate(action: String) -> Observable<String> { mutating(action) }
    func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
    func transform(mutation: Observable<String>) -> Observable<String> { transforming(mutation) }
    func onError(_ error: any Error, in stage: ReactorStage) { failures.add("\(error)") }

    func follow(_ mutation: String) -> Observable<String> {
      statesSeen.add(currentState)
      return following(mutation)
    }
  }

  private struct Failure: Error {}

  @Test func `follow is called after the mutation is reduced and published`() {
    let reactor = FollowingScript()
    let published = Observation(reactor.state)
    reactor.following = { _ in
      #expect(published.elements.last == ["a"])
      return .empty()
    }
    reactor.action.onNext("a")
    #expect(reactor.statesSeen.values == [["a"]])
  }

  @Test(arguments: [true, false])
  func `following mutations precede the next mutation, depth first`(asStreams: Bool) {
    let reactor = FollowingScript()
    reactor.mutating = { _ in .of("1", "2") }
    reactor.following = { mutation in
      guard mutation.count < 3 else { return .empty() }
      let list = Observable.of(mutation + "a", mutation + "b")
      return asStreams ? .deferred { list } : list
    }
    reactor.action.onNext("go")
    #expect(
      reactor.currentState == [
        "1", "1a", "1aa", "1ab", "1b", "1ba", "1bb", "2", "2a", "2aa", "2ab", "2b", "2ba", "2bb",
      ])
  }

  @Test func `a later mutation follows in a turn of its own`() {
    let reactor = FollowingScript()
    let later = PublishSubject<String>()
    reactor.following = { $0 == "a" ? later.asObservable() : .empty() }
    reactor.action.onNext("a")
    reactor.action.onNext("b")
    #expect(reactor.pipeline.runningEffectCount == 1)
    later.onNext("c")
    later.onCompleted()
    #expect(reactor.currentState == ["a", "b", "c"])
    #expect(reactor.pipeline.runningEffectCount == 0)
  }

  @Test func `an error fails the effect, and reduced mutations stay`() {
    let reactor = FollowingScript()
    reactor.following = { mutation in
      mutation == "a" ? .concat(.just("b"), .error(Failure())) : .empty()
    }
    reactor.action.onNext("a")
    #expect(reactor.currentState == ["a", "b"])
    #expect(reactor.failures.values == ["Failure()"])
  }

  @Test func `transform(mutation:) does not receive following mutations`() {
    let reactor = FollowingScript()
    reactor.transforming = { $0.map { "t" + $0 } }
    reactor.following = { $0 == "ta" ? .concat(.just("b"), .just("c")) : .empty() }
    reactor.action.onNext("a")
    #expect(reactor.currentState == ["ta", "b", "c"])
  }

  @Test func `an endless list ends with an error that states the limit`() {
    let reactor = FollowingScript()
    reactor.following = { _ in .just("again") }
    reactor.action.onNext("a")
    #expect(reactor.currentState.count == 1 + FollowLimitError.limit)
    #expect(reactor.failures.values == ["\(FollowLimitError())"])
    #expect("\(FollowLimitError())".contains("1000"))
    // The limit applies to one turn, and the reactor continues.
    reactor.following = { _ in .empty() }
    reactor.action.onNext("b")
    #expect(reactor.currentState.last == "b")
  }

  @Test func `an endless chain of streams ends with the error`() {
    let reactor = FollowingScript()
    reactor.following = { _ in .deferred { .just("again") } }
    reactor.action.onNext("a")
    #expect(reactor.currentState.count == 1 + FollowLimitError.depthLimit)
    #expect(reactor.failures.values.first == "\(FollowLimitError())")
    #expect(reactor.pipeline.runningEffectCount == 0)
  }

  @Test func `one endless stream ends with the error`() {
    let reactor = FollowingScript()
    reactor.following = { mutation in
      mutation == "a" ? .concat(.from((0..<5000).map { "\($0)" }), .empty()) : .empty()
    }
    reactor.action.onNext("a")
    #expect(reactor.currentState.count == 1 + FollowLimitError.limit)
    #expect(reactor.failures.values == ["\(FollowLimitError())"])
  }

  @Test func `a mutation of a merged stream is followed`() {
    let reactor = FollowingScript()
    let merged = PublishSubject<String>()
    reactor.transforming = { .merge($0, merged.asObservable()) }
    reactor.following = { $0 == "m" ? .just("n") : .empty() }
    reactor.action.onNext("a")
    merged.onNext("m")
    #expect(reactor.currentState == ["a", "m", "n"])
  }

  @Test func `the reactor is released with its pipeline`() {
    weak var released: FollowingScript?
    do {
      let reactor = FollowingScript()
      reactor.action.onNext("a")
      released = reactor
    }
    #expect(released == nil)
  }
}
