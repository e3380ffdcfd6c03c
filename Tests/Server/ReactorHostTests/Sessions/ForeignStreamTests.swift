import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorStreams
import Testing

/// A stream that a reactor merges into its mutations, and that emits on other threads.
@Suite(.timeLimit(.minutes(60)))
struct ForeignStreamTests {
  /// Ways to merge.
  enum Way: String, CaseIterable {
    case merge, flatMapLatest, combineLatest, withLatestFrom
  }

  private final class MergingReactor: Reactor {
    enum Action: Codable, Sendable {
      case act(Int)
    }

    enum Mutation: Codable, Sendable {
      case acted(Int)
      case foreign
    }

    struct State: Codable, Sendable {
      var acted = 0
      var foreign = 0
    }

    let initialState = State()
    private let foreign: Observable<Mutation>
    private let way: Way

    init(_ foreign: Observable<Mutation>, _ way: Way) {
      self.foreign = foreign
      self.way = way
    }

    func mutate(action: Action) -> Observable<Mutation> {
      switch action {
      case .act(let number): .just(.acted(number))
      }
    }

    func transform(mutation: Observable<Mutation>) -> Observable<Mutation> {
      switch way {
      case .merge: .merge(mutation, foreign)
      case .flatMapLatest:
        .merge(mutation.flatMapLatest { Observable<Mutation>.just($0) }, foreign)
      case .combineLatest:
        .merge(
          mutation.map { Optional($0) }.startWith(nil).compactMap { $0 },
          Observable.combineLatest(foreign, Observable.just(0)) { foreign, _ in foreign })
      case .withLatestFrom:
        .merge(mutation.withLatestFrom(foreign.startWith(.foreign)) { own, _ in own }, foreign)
      }
    }

    func reduce(state: State, mutation: Mutation) -> State {
      var state = state
      switch mutation {
      case .acted: state.acted += 1
      case .foreign: state.foreign += 1
      }
      return state
    }
  }

  @Test(arguments: Way.allCases)
  func `mutations are attributed to their origin, independent of the timing`(
    way: Way
  ) async throws {
    let (threads, count) = (2, 400)
    let foreign = PublishSubject<MergingReactor.Mutation>()
    let stream = foreign.asObservable()
    let host = Host([
      ReactorRegistration("merging", summary: "Merges") { MergingReactor(stream, way) }
    ])
    let session = try host.open("merging", "s")

    let sent = Recorder<(number: Int, outcomes: Recorder<String>)>()
    await withTaskGroup { group in
      for thread in 0..<threads {
        group.addTask {
          for _ in 0..<count { foreign.onNext(.foreign) }
        }
        group.addTask {
          for step in 0..<count {
            let number = thread * count + step
            if let outcomes = try? session.send(#"{"act":\#(number)}"#) {
              sent.add((number, outcomes))
            }
          }
        }
      }
    }

    let total = 2 * threads * count
    #expect(session.current.version == total)
    var versions: [String: Int] = [:]
    for entry in try await session.entries(after: 0, limit: total) {
      let mutation = String(decoding: entry.mutation, as: UTF8.self)
      if mutation == #""foreign""# {
        #expect(entry.action == nil)
      } else {
        let action = entry.action.map { String(decoding: $0, as: UTF8.self) }
        #expect(action == mutation.replacing("acted", with: "act"))
        versions[mutation] = entry.version
      }
    }
    #expect(sent.values.count == threads * count)
    for (number, outcomes) in sent.values {
      // The response has a version at or after the mutation of the action.
      let words = try #require(outcomes.values.first).split(separator: " ")
      let version = try #require(versions[#"{"acted":\#(number)}"#])
      #expect(words.first == "committed")
      #expect(try #require(Int(words[1])) >= version)
    }
  }
}
