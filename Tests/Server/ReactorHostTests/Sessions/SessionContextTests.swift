import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import ReactorStreams
import Synchronization
import Telemetry
import Testing

/// The values that an instance of a reactor gets about its session.
struct SessionContextTests {
  final class NamedReactor: Reactor {
    typealias Action = String
    typealias Mutation = String

    struct State: Codable, Sendable {
      var id: String
      var words: [String] = []
    }

    let initialState: State
    private let context: SessionContext<NoParameters>

    init(_ context: SessionContext<NoParameters>) {
      self.context = context
      initialState = State(id: context.session.id)
    }

    func mutate(action: String) -> Observable<String> {
      context.logger.info("word", ["word": action])
      return .just(action)
    }

    func reduce(state: State, mutation: String) -> State {
      var state = state
      state.words.append(mutation)
      return state
    }
  }

  static let registration = ReactorRegistration("named", summary: "Knows its id") { context in
    NamedReactor(context)
  }

  @Test func `an instance knows its session, also after the session was loaded again`() async throws
  {
    let log = MemoryLog()
    let session = try Host([Self.registration], log: log).open("named", "a")
    #expect(session.shown == #"0 {"id":"a","words":[]}"#)
    try session.send(#""x""#)
    let again = try Host([Self.registration], log: log).open("named", "a")
    #expect(again.shown == #"1 {"id":"a","words":["x"]}"#)
    #expect(try await again.state(at: 0).words == #"0 {"id":"a","words":[]}"#)
  }

  @Test func `the catalogue shows the initial State of a session of its own`() throws {
    let host = Host([Self.registration])
    let description = try #require(host.reactor("named")).description
    #expect(String(decoding: description.initialState, as: UTF8.self) == #"{"id":"_","words":[]}"#)
  }

  @Test func `the logger adds the session to each line`() throws {
    let lines = Mutex<[String]>([])
    let logger = Logger(level: .info) { _, message, fields in
      lines.withLock { lines in
        lines.append(message + " " + fields.map { "\($0.0)=\($0.1)" }.joined(separator: " "))
      }
    }
    let host = Host([Self.registration], logger: logger)
    try host.open("named", "a").send(#""x""#)
    #expect(lines.withLock { $0 } == ["word reactor=named session=a word=x"])
  }
}
