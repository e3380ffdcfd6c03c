import ReactorCore
import ReactorHost
import ReactorStreams
import ReactorTestingHost
import Testing

/// Fixtures of an earlier release.
@Suite struct ReleaseFixtureTests {
  private final class Board: Reactor {
    enum Action: Codable, Sendable { case put(String), remind(Int) }
    enum Mutation: Codable, Sendable { case put(title: String) }
    struct State: Codable, Sendable {
      var titles: [String] = []
      var count = 0
    }

    let initialState = State()

    func mutate(action: Action) -> Observable<Mutation> { .empty() }

    func reduce(state: State, mutation: Mutation) -> State {
      guard case .put(let title) = mutation else { return state }
      return State(titles: state.titles + [title], count: state.count + 1)
    }
  }

  private let board = ReactorRegistration("board", summary: "A board") { Board() }

  private func fixture(_ lines: String...) throws -> ReleaseFixture {
    try ReleaseFixture(
      text: ([#"{"session":"board/1","epoch":"e","created":1}"#] + lines).joined(separator: "\n"))
  }

  private let entry = #"{"version":1,"at":1,"action":{"put":"a"},"mutation":{"put":{"title":"a"}}}"#

  @Test func `a State to which members were added is that of the earlier release`() async throws {
    let fixture = try fixture(#"{"expected":1,"state":{"titles":["a"]}}"#, entry)
    #expect(fixture.sessionCount == 1)
    #expect(try await fixture.problems(with: [board]) == [])
  }

  @Test func `a part that differs is named, unless it is ignored`() async throws {
    let fixture = try fixture(#"{"expected":1,"state":{"titles":["b"],"gone":1}}"#, entry)
    #expect(
      try await fixture.problems(with: [board]) == [
        #"board/1: "/titles/0" was "b" and is "a""#, #"board/1: "/gone" was 1 and is nothing"#,
      ])
    #expect(try await fixture.problems(with: [board], ignoring: ["/titles/*", "/gone"]) == [])
  }

  @Test func `entries, actions and timers that do not decode are problems`() async throws {
    let fixture = try fixture(
      #"{"version":1,"at":1,"mutation":{"placed":1}}"#,
      #"{"accepted":1,"place":0,"at":1,"runs":1,"action":{"move":1}}"#,
      #"{"timer":"t","due":1,"action":{"remind":"x"}}"#)
    let problems = try await fixture.problems(with: [board])
    #expect(problems.count == 3)
    #expect(problems[0].contains("version: 1"))
    #expect(problems[1].contains(#"action "move""#) && problems[2].contains(#"timer "remind""#))
    #expect(try await fixture.problems(with: []).count == 1)
  }

  @Test func `a snapshot replaces the entries before it`() async throws {
    let fixture = try fixture(
      #"{"snapshot":4,"state":{"titles":["a","b","c","d"],"count":4},"schema":"x"}"#,
      #"{"version":5,"at":1,"mutation":{"put":{"title":"e"}}}"#,
      #"{"expected":5,"state":{"titles":["a","b","c","d","e"],"count":5}}"#)
    #expect(try await fixture.problems(with: [board]) == [])
  }

  @Test(arguments: [#"{"version":1,"mutation":1}"#, "no JSON", #"{"session":"x","epoch":"e"}"#])
  func `a text that is no export is rejected`(text: String) {
    #expect(throws: (any Error).self) { try ReleaseFixture(text: text) }
  }
}
