import ReactorCore
import ReactorStreams
import Testing

/// The request of an action that another thread executes.
@Suite(.timeLimit(.minutes(60)))
struct CarriedRequestTests {
  private static func context(_ name: String) -> RequestContext {
    RequestContext(id: name, principal: Principal(id: name))
  }

  private static var principal: String { RequestContext.current?.principal?.id ?? "none" }

  /// Sends each action on behalf of the principal with the same name.
  private static func send(_ names: [String], to action: ActionSubject<String>) async {
    await withTaskGroup(of: Void.self) { group in
      for name in names {
        group.addTask {
          guard name != "none" else { return action.onNext(name) }
          RequestContext.$current.withValue(context(name)) { action.onNext(name) }
        }
      }
    }
  }

  private static let names = (0..<10_000).map { $0 % 7 == 0 ? "none" : "p\($0)" }

  @Test(arguments: [false, true])
  func `an action of 10,000 senders has the request of its sender`(transforms: Bool) async throws {
    let reactor = ScriptedReactor()
    reactor.mutating = { .just("\($0) \(Self.principal)") }
    if transforms { reactor.transformingActions = { $0.map { $0 } } }
    await Self.send(Self.names, to: reactor.action)
    #expect(reactor.currentState.count == Self.names.count)
    for executed in reactor.currentState {
      let parts = executed.split(separator: " ")
      #expect(parts[0] == parts[1])
    }
  }

  @Test func `a task of an action has the request of its sender`() async throws {
    let reactor = ScriptedReactor()
    reactor.mutating = { action in .run { send in send("\(action) \(Self.principal)") } }
    let names = Array(Self.names.prefix(500))
    await Self.send(names, to: reactor.action)
    for try await state in reactor.state.values where state.count == names.count {
      for executed in state {
        let parts = executed.split(separator: " ")
        #expect(parts[0] == parts[1])
      }
      break
    }
  }

  @Test func `the streams of a reactor belong to no request`() {
    let reactor = ScriptedReactor()
    let seen = Recorder<String>()
    reactor.transformingMutations = { mutations in
      Observable.deferred {
        seen.add(Self.principal)
        return mutations
      }
    }
    RequestContext.$current.withValue(Self.context("ada")) { reactor.action.onNext("a") }
    #expect(seen.values == ["none"])
  }

  @Test func `a stream that two reactors share does not carry a request into the other one`() {
    let shared = PublishSubject<String>()
    let sender = ScriptedReactor()
    sender.mutating = { action in
      shared.onNext(action)
      return .just(Self.principal)
    }
    let byMutation = ScriptedReactor()
    let reduced = Recorder<String>()
    byMutation.willReduce = { _ in reduced.add(Self.principal) }
    byMutation.transformingMutations = { Observable.merge($0, shared.asObservable()) }
    let byAction = ScriptedReactor()
    byAction.mutating = { .just("\($0) \(Self.principal)") }
    byAction.transformingActions = { Observable.merge($0, shared.asObservable()) }
    for reactor in [byMutation, byAction] { _ = reactor.state.subscribe(onNext: { _ in }) }
    RequestContext.$current.withValue(Self.context("ada")) { sender.action.onNext("a") }
    #expect(sender.currentState == ["ada"])
    #expect(byMutation.currentState == ["a"])
    #expect(reduced.values == ["none"])
    #expect(byAction.currentState == ["a none"])
  }
}
