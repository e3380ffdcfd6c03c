import ReactorCore
import ReactorStreams
import Testing

/// Sends whose caller awaits the state after the effects.
struct SendTests {
  private struct Refusal: Error, Equatable {}

  @Test func `the state has the mutations of the action's effects`() async throws {
    let reactor = ScriptedReactor()
    reactor.mutating = { action in
      .concat(
        .just(action),
        .run { send in
          for step in 1...3 {
            await Task.yield()
            send("\(action)\(step)")
          }
        })
    }
    #expect(try await reactor.send("a") == ["a", "a1", "a2", "a3"])
    #expect(try await reactor.send("b").suffix(4) == ["b", "b1", "b2", "b3"])
  }

  @Test func `the state is the one that observers see`() async throws {
    let reactor = ScriptedReactor()
    reactor.transformingStates = { $0.map { $0 + ["shown"] } }
    #expect(try await reactor.send("a") == ["a", "shown"])
  }

  @Test func `an action without mutations returns the current state`() async throws {
    let reactor = ScriptedReactor(["first"])
    reactor.mutating = { _ in .empty() }
    #expect(try await reactor.send("a") == ["first"])
    let dropping = ScriptedReactor(["first"])
    dropping.transformingActions = { $0.filter { _ in false } }
    #expect(try await dropping.send("a") == ["first"])
  }

  @Test func `the error of an effect is thrown, and its mutations stay`() async {
    let reactor = ScriptedReactor()
    reactor.mutating = { .concat(.just($0), .error(Refusal())) }
    await #expect(throws: Refusal()) { try await reactor.send("a") }
    #expect(reactor.currentState == ["a"])
  }

  @Test func `an effect that never ends is limited by the timeout, and continues`() async {
    let source = PublishSubject<String>()
    let reactor = ScriptedReactor()
    reactor.mutating = { [source] _ in source.asObservable() }
    await #expect(throws: RxError.timeout) {
      try await reactor.send("a", timeout: .milliseconds(1))
    }
    source.onNext("later")
    #expect(reactor.currentState == ["later"])
  }

  @Test func `the cancellation of the task ends the wait, and the effect continues`() async {
    let (result, state) = await Task {
      let source = PublishSubject<String>()
      let reactor = ScriptedReactor()
      reactor.mutating = { [source] _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return source.asObservable()
      }
      let result: Result<[String], any Error>
      do { result = .success(try await reactor.send("a")) } catch { result = .failure(error) }
      source.onNext("later")
      return (result, reactor.currentState)
    }.value
    #expect(throws: CancellationError.self) { try result.get() }
    #expect(state == ["later"])
  }

  @Test func `a canceled task sends nothing`() async {
    let state = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let reactor = ScriptedReactor()
      _ = try? await reactor.send("a")
      return reactor.currentState
    }.value
    #expect(state.isEmpty)
  }

  @Test func `a stub records the action and returns its state`() async throws {
    let reactor = ScriptedReactor()
    reactor.isStubEnabled = true
    reactor.stub.state.value = ["stubbed"]
    #expect(try await reactor.send("a") == ["stubbed"])
    #expect(reactor.stub.actions == ["a"])
  }

  @Test func `an effect after the response is not waited for`() async throws {
    let source = PublishSubject<String>()
    let reactor = ScriptedReactor()
    reactor.mutating = { [source] action in
      .concat(.just(action), .afterCommit { source.asObservable() })
    }
    #expect(try await reactor.send("a") == ["a"])
  }

  @Test func `each of a thousand senders gets a state with its own mutations`() async throws {
    let reactor = ScriptedReactor()
    reactor.mutating = { action in .mutate { action + "!" } }
    let pipeline = reactor.pipeline
    pipeline.connect()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          try await pipeline.stateAfterEffects(of: "\(number)", nil).contains("\(number)!")
        }
      }
      for try await hasOwn in group { #expect(hasOwn) }
    }
    #expect(reactor.currentState.count == 1_000)
  }

  @Test func `the error of an asynchronous mutation is thrown`() async {
    let reactor = ScriptedReactor()
    reactor.mutating = { _ in .mutate { throw Refusal() } }
    await #expect(throws: Refusal()) { try await reactor.send("a") }
  }
}
