import LogTestSupport
import ReactorCore
import ReactorHost
import ReactorLog
import Testing

/// Actions that clients cannot send.
struct InternalActionTests {
  private final class Door: Reactor {
    enum Action: Codable {
      case knock(String)
      case own(Own)
      case pass(String)
      case arm

      enum Own: InternalAction { case open, say(String) }
    }

    typealias Mutation = String
    typealias State = [String]
    let initialState: [String] = []
    private let context: SessionContext<NoParameters>

    init(_ context: SessionContext<NoParameters>) { self.context = context }

    func mutate(action: Action) -> Observable<String> {
      switch action {
      case .knock(let name): .just(name)
      case .own(.open): .just("open")
      case .own(.say(let text)): .just(text)
      case .pass(let action): context.session(named: "door", "other").sendOnly(action)
      case .arm: schedule(.own(.open), at: .now, id: "t")
      }
    }

    func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
  }

  private let host = Host([ReactorRegistration("door", summary: "A door") { Door($0) }])

  @Test func `internal actions are absent from the schema`() throws {
    let schema = try String(
      decoding: #require(host.reactor("door")).description.actionSchema, as: UTF8.self)
    #expect(schema.contains("knock") && schema.contains("arm"))
    #expect(!schema.contains("own") && !schema.contains("say"), "\(schema)")
  }

  @Test(arguments: [
    #"{"own":"open"}"#, #"{"own":{"open":{}}}"#, #"{ "own" : {"_0":"open"} }"#,
    #"{"\u006fwn":{"say":"x"}}"#, #"[{"knock":"a"},{"own":{"say":"x"}}]"#,
    // None of these can be decoded.
    #"{"own":1}"#, #"{"own":{"say":1}}"#, #"{"own":"x"}"#, #""own""#, #"{"own":{},"knock":"a"}"#,
    #"[{"knock":"a"},{"own":{"say":1}}]"#,
  ])
  func `a client cannot send an internal action, in any form`(body: String) throws {
    let session = try host.open("door", "a")
    for context in [nil, RequestContext(id: "r-1")] {
      do {
        try session.submit(
          Array(body.utf8), ifAt: nil, key: nil, for: context, accepted: nil
        ) { _ in Issue.record("executed") }
        Issue.record("accepted")
      } catch {
        guard case .internalAction("own") = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
    #expect(session.current.version == 0)
  }

  @Test func `other actions and errors of clients are as before, without the internal names`()
    throws
  {
    let session = try host.open("door", "a")
    #expect(try session.send(#"{"knock":"own"}"#).values == [#"committed 1 ["own"]"#])
    #expect(throws: ActionDecodingError.self) { try session.send(#""nonsense""#) }
    do {
      try session.send(#""nonsense""#)
    } catch {
      guard case .invalid(_, let expected, let detail) = error else { throw error }
      #expect(expected == ["knock", "pass", "arm"])
      #expect(detail == #""nonsense" is not known here; write one of: knock, pass, arm."#)
    }
  }

  @Test func `a timer and another session send internal actions`() async throws {
    let session = try host.open("door", "a")
    try session.send(#"{"pass":"{\"own\":{\"say\":\"hello\"}}"}"#)
    try session.send(#""arm""#)
    let timers = Task { [host] in await host.fireTimers() }
    defer { timers.cancel() }
    try await eventually { session.current.words == #"1 ["open"]"# }
    try await eventually { try host.open("door", "other").shown == #"1 ["hello"]"# }
  }
}
