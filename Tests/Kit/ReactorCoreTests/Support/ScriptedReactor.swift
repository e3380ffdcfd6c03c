import ReactorCore
import ReactorStreams

/// A reactor whose functions a test provides; its state is the list of its mutations.
final class ScriptedReactor: Reactor {
  typealias Action = String
  typealias Mutation = String
  typealias State = [String]

  typealias Transform<Element: Sendable> = (Observable<Element>) -> Observable<Element>

  let initialState: [String]
  var mutating: (String) -> Observable<String> = { .just($0) }
  var willReduce: (String) -> Void = { _ in }
  var transformingActions: Transform<String> = { $0 }
  var transformingMutations: Transform<String> = { $0 }
  var transformingStates: Transform<[String]> = { $0 }
  let failures = Recorder<ReactorStage>()

  init(_ initialState: [String] = []) {
    self.initialState = initialState
  }

  func mutate(action: String) -> Observable<String> {
    mutating(action)
  }

  func reduce(state: [String], mutation: String) -> [String] {
    willReduce(mutation)
    return state + [mutation]
  }

  func transform(action: Observable<String>) -> Observable<String> {
    transformingActions(action)
  }

  func transform(mutation: Observable<String>) -> Observable<String> {
    transformingMutations(mutation)
  }

  func transform(state: Observable<[String]>) -> Observable<[String]> {
    transformingStates(state)
  }

  func onError(_ error: any Error, in stage: ReactorStage) {
    failures.add(stage)
  }
}

/// The error of a test.
struct Mishap: Error {}
