import Foundation
import Testing

/// The Swift snippets of the articles compile.
///
/// A test that quotes files names the other snippets: README's daemon and reactor, the tutorials, the client's articles, "What
/// belongs to the server", "Adding an endpoint", "Upgrading stored data", and the test of a service.
@Suite(.blocking, .enabled(if: !Sanitizer.isUsed))
struct SnippetTests {
  /// The snippets of an article that other tests do not compile, by their index among its Swift blocks.
  ///
  /// `§` in the context stands for the snippet.
  private static let snippets: [(article: String, index: Int, context: String)] = [
    ("README.md", 2, "\(readme)\nstatic func run() async {\n§\n}"),
    ("README.md", 4, effects(actions: "load(Int), cancel")),
    ("Sources/Kit/ReactorCore/Documentation.docc/ComingFromReactorKit.md", 1, profile),
    ("Sources/Kit/ReactorCore/Documentation.docc/DurableTimers.md", 0, "§"),
    (
      "Sources/Kit/ReactorCore/Documentation.docc/DurableTimers.md", 1,
      "struct Bank { func deadline() -> Observable<WallTime> { .empty() } }\n§"
    ),
    (
      "Sources/Kit/ReactorCore/Documentation.docc/DurableTimers.md", 2,
      "\(offer)\nstatic func run() async {\n§\n}"
    ),
    (
      "Sources/Kit/ReactorCore/Documentation.docc/EffectsWithAsync.md", 0,
      effectReactor(actions: "load(Int), rename(String)", "§")
    ),
    (
      "Sources/Kit/ReactorCore/Documentation.docc/EffectsWithAsync.md", 1,
      effects(actions: "query(String)")
    ),
    (
      "Sources/Kit/ReactorCore/Documentation.docc/EffectsWithAsync.md", 2,
      effectReactor(
        actions: "load(Int)",
        "func mutate(action: Action) -> Observable<Mutation> { switch action { case .load(let id): \n§\n} }"
      )
    ),
    (
      "Sources/Kit/ReactorCore/Documentation.docc/EffectsWithAsync.md", 3,
      "\(effects(actions: "load(Int)", cases: "case .load: return .empty()"))\nstatic func run(reactor: R) async throws {\n§\n_ = state }"
    ),
    (
      "Sources/Kit/ReactorCore/Documentation.docc/EffectsWithAsync.md", 4,
      "\(effects(actions: "load(Int)", cases: "case .load: return .empty()"))\nstatic func run(reactor: R, show: (R.State) -> Void) async throws {\n§\n}"
    ),
    ("Sources/Kit/ReactorCore/Documentation.docc/ReactorCore.md", 0, "\(api)\n§"),
    (
      "Sources/Kit/ReactorStreams/Documentation.docc/ReactorStreams.md", 0,
      """
      struct SearchAPI { func search(_ text: String) -> Observable<[String]> { .just([text]) } }
      static func run(query: Observable<String>, api: SearchAPI) {
      §
      _ = search
      }
      """
    ),
    ("Sources/Kit/ReactorTesting/Documentation.docc/ReactorTesting.md", 0, "\(todo)\n§"),
    ("Sources/Kit/ReactorFlows/Documentation.docc/ScreensAndFlows.md", 0, "§"),
    (
      "Sources/Server/ReactorHost/Documentation.docc/ReactorHost.md", 0,
      "static func run() async throws {\n§\n}"
    ),
    (
      "Sources/Server/ReactorHost/Documentation.docc/SessionsThatTalk.md", 3,
      """
      final class Note: Reactor {
        enum Action: Codable { case notify(String) }
        struct State: Codable {}
        let initialState = State()
      }
      final class Post: Reactor {
        enum Action: Codable { case post(String) }
        enum Mutation: Codable { case posted(String) }
        struct State: Codable {}
        let initialState = State()
        let members: [SessionReference<Note>] = []
        func mutate(action: Action) -> Observable<Mutation> {
          switch action {
          §
          }
        }
        func reduce(state: State, mutation: Mutation) -> State { state }
      }
      """
    ),
    ("Sources/Server/ReactorHost/Documentation.docc/SessionsThatTalk.md", 4, "§"),
    (
      "Sources/Server/ReactorHost/Documentation.docc/SessionsThatTalk.md", 5,
      "\(talk)\nstatic func run() {\n§\n}"
    ),
    (
      "Sources/Server/ReactorHost/Documentation.docc/WhatClientsSee.md", 1,
      "static let registration =\n§"
    ),
    (
      "Sources/Server/ReactorHost/Documentation.docc/WhatClientsSee.md", 2,
      "static func run() async throws {\n§\n}"
    ),
    ("Sources/Server/ReactorService/Documentation.docc/HostileInputInReactors.md", 0, toggles),
    ("Sources/Server/ReactorService/Documentation.docc/HostileInputInReactors.md", 1, sends),
    ("Sources/Server/ReactorService/Documentation.docc/HostileInputInReactors.md", 2, "§"),
    (
      "Sources/Server/SQLiteLog/Documentation.docc/SQLiteLog.md", 0,
      "static func run(registrations: [ReactorRegistration]) throws {\n§\n_ = host }"
    ),
    ("Sources/Wire/ReactorCoding/Documentation.docc/DefaultsOfMembers.md", 0, "§"),
    ("Sources/Wire/ReactorCoding/Documentation.docc/DefaultsOfMembers.md", 1, "§"),
    (
      "Sources/Wire/ReactorCoding/Documentation.docc/ReactorCoding.md", 0,
      "static func run() throws {\n§\n_ = actions }"
    ),
  ]

  private static let api = """
    struct API {
      func title(of id: Int) async throws -> String { "" }
      func item(_ id: Int) async throws -> String { "" }
      func rename(_ name: String) async throws -> String { name }
      func search(_ text: String) async throws -> [String] { [text] }
    }
    struct APIError: Error { var message = "" }
    """

  private static let todo = """
    final class TodoReactor: Reactor {
      enum Action: Codable { case add(String), toggle(Int) }
      struct Item: Codable, Equatable { var title: String; var isDone = false }
      struct State: Codable, Equatable { var items: [Item] = [] }
      let initialState = State()
    }
    struct NoSuchItem: ActionError, Equatable { let status = 404, title = "No such item" }
    """

  /// The reactor of the README without its import.
  private static let readme =
    (try? Guide("README.md"))?.blocks.first { $0.language == "swift" }?.code
    .replacing("import ReactorCore\n", with: "") ?? ""

  private static let offer = """
    final class OfferReactor: Reactor {
      enum Action: Codable { case open(until: WallTime) }
      struct State: Codable, Equatable { var end: WallTime?; var isExpired = false }
      let initialState = State()
    }
    """

  private static let profile = """
    class UIViewController {}
    final class ProfileViewReactor: Reactor {
      enum Action { case follow }
      struct State {}
      let initialState = State()
    }
    §
    """

  private static let talk = """
    final class DirectoryReactor: Reactor {
      enum Action: Codable { case list }
      struct State: Codable {}
      let initialState = State()
    }
    final class RoomReactor: Reactor {
      struct Parameters: Codable { var title: String; var closesAt: WallTime }
      enum Action: Codable { case open }
      struct State: Codable {}
      let initialState = State()
      init(_ context: SessionContext<Parameters>) {}
    }
    """

  private static let toggles = """
    struct NoSuchItem: ActionError { let status = 404, title = "No such item" }
    final class R: Reactor {
      enum Action: Codable { case toggle(Int) }
      enum Mutation: Codable { case flip(Int) }
      struct State: Codable { var items: [String] = [] }
      let initialState = State()
      func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        §
        }
      }
      func reduce(state: State, mutation: Mutation) -> State { state }
    }
    """

  private static let sends = """
    struct TextTooLong: ActionError { let status = 422, title = "Too long" }
    final class R: Reactor {
      enum Action: Codable { case send(String, text: String) }
      enum Mutation: Codable { case append(String, String) }
      struct State: Codable {}
      let initialState = State()
      func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        §
        return .just(.append(name, text))
        }
      }
      func reduce(state: State, mutation: Mutation) -> State { state }
    }
    """

  /// A reactor with effects whose body is `body`.
  private static func effectReactor(actions: String, _ body: String) -> String {
    """
    \(api)
    final class R: Reactor {
      enum Action: Codable { case \(actions) }
      enum Mutation: Codable {
        case setLoading(Bool), setItem(String), setName(String), setResults([String]), setProblem(String)
      }
      struct State: Codable {}
      let initialState = State()
      let api = API()
      \(body)
      func reduce(state: State, mutation: Mutation) -> State { state }
    }
    """
  }

  /// A reactor with effects, of which the snippet is a part of `mutate`.
  private static func effects(actions: String, cases: String = "§") -> String {
    effectReactor(
      actions: actions,
      "func mutate(action: Action) -> Observable<Mutation> { switch action {\n\(cases)\n} }")
  }

  /// The number of Swift blocks that other tests compile, or compare with files that are compiled; Tests/README.md names
  /// the tests.
  private static let elsewhere = [
    "AddingAnEndpoint.md": 2, "BuildAChatRoom.md": 4, "ComingFromReactorKit.md": 1,
    "FromLocalToHosted.md": 3, "README.md": 3, "ReactorClient.md": 4, "ReactorRx.md": 1,
    "ReactorService.md": 1, "ReactorTestingHost.md": 1, "SessionsThatTalk.md": 3,
    "SwiftUIView.md": 3,
    "UpgradingStoredData.md": 1, "UsersAndRights.md": 3, "WhatBelongsToTheServer.md": 2,
    "WhatClientsSee.md": 1,
  ]

  @Test func `no Swift block of an article is left out`() throws {
    var counts = Self.elsewhere
    for (article, _, _) in Self.snippets {
      counts[URL(filePath: article).lastPathComponent, default: 0] += 1
    }
    let sources = Guide.root.appending(path: "Sources").path
    let all = try #require(FileManager.default.enumerator(atPath: sources))
    let articles = all.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }
    for article in ["README.md"] + articles.map({ "Sources/\($0)" })
    where !article.contains("Python") {
      let blocks = try Guide(article).blocks.filter { $0.language == "swift" }
      #expect(blocks.count == counts[URL(filePath: article).lastPathComponent] ?? 0, "\(article)")
    }
  }

  @Test func `each snippet compiles with the names that its article defines`() throws {
    let folder = try TemporaryFolder()
    var files: [String] = []
    for (number, (article, index, context)) in Self.snippets.enumerated() {
      let blocks = try Guide(article).blocks.filter { $0.language == "swift" }
      var imports =
        [
          "Foundation", "ReactorCore", "ReactorFlows", "ReactorHost", "ReactorSessions",
          "ReactorTesting",
          "ReactorCoding", "Testing",
        ].map { "import \($0)\n" }.joined()
        + "@testable import Reactors\n@testable import SQLiteLog\n"
      let lines = blocks[index].code.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines where line.hasPrefix("import ") { imports += line + "\n" }
      let code = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
        .replacing("{ … }", with: "{}")
      let file = "\(number).swift"
      try
        "\(imports)enum Snippet\(number) {\n#sourceLocation(file: \"\(article)\", line: 1)\n\(context.replacing("§", with: code))\n#sourceLocation()\n}\n"
        .write(toFile: folder[file], atomically: true, encoding: .utf8)
      files.append(file)
    }
    try SwiftCompiler().check(files, "-parse-as-library", in: folder.path)
  }
}
