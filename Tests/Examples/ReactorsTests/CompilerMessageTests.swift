import Commands
import Foundation
import Testing

/// The table "If the compiler says …" of the documentation, compared with the compiler's messages.
///
/// `WRITE_MESSAGES=1` writes the table again.
struct CompilerMessageTests {
  /// A mistake, as a replacement in a reactor that compiles.
  private struct Mistake {
    let description: String
    let original: String
    let replacement: String
    let remedy: String
  }

  private static let reactor = """
    import ReactorCore
    import ReactorHost

    final class TodoReactor: Reactor {
      enum Action: Codable { case add(String), clear }
      enum Mutation: Codable { case append(String), removeAll }
      struct State: Codable { var items: [String] = [] }

      let initialState = State()

      func mutate(action: Action) -> Observable<Mutation> {
        switch action {
        case .add(let title): .just(.append(title))
        case .clear: .just(.removeAll)
        }
      }
    }

    let reactors = [
      ReactorRegistration("todo", summary: "Things to do", exampleActions: [.clear]) { TodoReactor() }
    ]
    """

  private static let mistakes = [
    Mistake(
      description: "`State` is not `Codable`", original: "struct State: Codable",
      replacement: "struct State", remedy: "`struct State: Codable`"),
    Mistake(
      description: "`Mutation` is not `Codable`", original: "enum Mutation: Codable",
      replacement: "enum Mutation", remedy: "`enum Mutation: Codable`"),
    Mistake(
      description: "`Action` is not `Codable`", original: "enum Action: Codable",
      replacement: "enum Action", remedy: "`enum Action: Codable`"),
    Mistake(
      description: "none of the three is `Codable`", original: ": Codable", replacement: "",
      remedy: "`: Codable` on each of them"),
    Mistake(
      description: "a member of `State` is not `Codable`", original: "var items: [String] = []",
      replacement: "var items: [Item] = []; struct Item {}",
      remedy: "`: Codable` on the type of the member"),
    Mistake(
      description: "`State` is a class", original: "struct State", replacement: "final class State",
      remedy: "a struct or an enum, whose members are `Sendable`, too"),
    Mistake(
      description: "`Action` is `public`, and so not `Sendable` by itself",
      original: """
        final class TodoReactor: Reactor {
          enum Action: Codable { case add(String), clear }
        """,
      replacement: """
        public enum TodoAction: Codable { case add(String), clear }

        final class TodoReactor: Reactor {
          typealias Action = TodoAction
        """,
      remedy: "`public enum Action: Codable, Sendable`; so for `Mutation` and `State`"),
    Mistake(
      description: "`Action` carries a class", original: "case add(String), clear",
      replacement: "case add(String), clear, open(Page); final class Page: Codable {}",
      remedy: "a struct in place of the class"),
    Mistake(
      description: "`initialState` is missing", original: "let initialState = State()",
      replacement: "", remedy: "`let initialState = State()`; the next line of the compiler says so"
    ),
    Mistake(
      description: "a member of `State` has no first value", original: "var items: [String] = []",
      replacement: "var items: [String]", remedy: "a first value: `var items: [String] = []`"),
    Mistake(
      description: "`Mutation` is missing",
      original: "enum Mutation: Codable { case append(String), removeAll }", replacement: "",
      remedy: "`enum Mutation: Codable`; without it `Mutation` is `Action`"),
    Mistake(
      description: "`mutate` returns a mutation",
      original: ".just(.append(title))", replacement: ".append(title)",
      remedy: "`.just(…)` around it"),
    Mistake(
      description: "the reactor is a struct", original: "final class TodoReactor",
      replacement: "struct TodoReactor", remedy: "`final class`"),
    Mistake(
      description: "a test of a reactor whose `State` is not `Equatable`",
      original: "import ReactorHost",
      replacement: """
        import ReactorHost
        import ReactorTesting

        func test() { _ = ReactorTest(TodoReactor()) }
        """,
      remedy: "`struct State: Codable, Equatable`, and `Equatable` on the types of its members"),
  ]

  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(
      path: "../../../Sources/Server/ReactorService/Documentation.docc/IfTheCompilerSays.md"
    )
    .standardizedFileURL

  /// The module map of OpenSSL, which the modules of the host import.
  private static let moduleMap = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Sources/Doors/COpenSSL/module.modulemap").standardizedFileURL

  /// The folder of the modules that these tests are linked with.
  private static var modules: String {
    let program = URL(fileURLWithPath: CommandLine.arguments[0])
    let bundle =
      CommandLine.arguments.first { $0.hasSuffix(".xctest") }.map { URL(fileURLWithPath: $0) }
    let folder = (bundle ?? program).resolvingSymlinksInPath()
    var candidate = folder
    while candidate.path != "/" {
      let modules = candidate.appending(path: "Modules")
      if FileManager.default.fileExists(
        atPath: modules.appending(path: "ReactorHost.swiftmodule").path)
      {
        return modules.path
      }
      candidate.deleteLastPathComponent()
    }
    return folder.path
  }

  /// The compiler's first error for a source, or `nil` if it compiles.
  private static func firstError(_ source: String) throws -> String? {
    let file = FileManager.default.temporaryDirectory
      .appending(path: "mistake-\(UUID().uuidString).swift")
    try source.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let compiler = try Command([
      "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-I", modules,
      "-diagnostic-style=llvm", "-Xcc", "-fmodule-map-file=\(moduleMap.path)", file.path,
    ])
    let text = String(decoding: compiler.errors, as: UTF8.self)
    return text.split(separator: "\n").lazy
      .compactMap { line in line.range(of: "error: ").map { String(line[$0.upperBound...]) } }
      .first
  }

  @Test func `the reactor without a mistake compiles`() throws {
    #expect(try Self.firstError(Self.reactor) == nil)
  }

  @Test func `the table in the article has the messages of the compiler`() throws {
    var table = "| if the compiler says | because | write |\n| --- | --- | --- |\n"
    for mistake in Self.mistakes {
      try #require(Self.reactor.contains(mistake.original))
      let source = Self.reactor.replacingOccurrences(
        of: mistake.original, with: mistake.replacement)
      let error = try #require(try Self.firstError(source), "\(mistake.description) compiles")
      table += "| `\(error)` | \(mistake.description) | \(mistake.remedy) |\n"
    }
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let start = try #require(text.range(of: "| if the compiler says"))
    let end = text.range(of: "\n\n", range: start.lowerBound..<text.endIndex)?.lowerBound
    let old = text[start.lowerBound..<(end ?? text.endIndex)] + "\n"
    if ProcessInfo.processInfo.environment["WRITE_MESSAGES"] != nil {
      let new = text.replacingOccurrences(of: String(old), with: table)
      try new.write(to: Self.page, atomically: true, encoding: .utf8)
    } else {
      #expect(String(old) == table)
    }
  }

  @Test(arguments: ["State", "Mutation", "Action"])
  func `a type without Codable is named with what to add`(_ type: String) throws {
    let keyword = type == "State" ? "struct" : "enum"
    let source = Self.reactor.replacingOccurrences(
      of: "\(keyword) \(type): Codable", with: "\(keyword) \(type)")
    let error = try #require(try Self.firstError(source))
    #expect(error.hasSuffix("\(type) must be Codable: write '\(keyword) \(type): Codable'"))
  }

  /// Registrations with the other arguments, for the types in the order of `types`.
  private static let registrations = [
    (
      """
      upgradeMutation: [.renaming("a", to: "b")], upgradeAction: [], upgradeState: []) {
        TodoReactor() }
      """, "State must be Codable: write 'struct State: Codable'"
    ),
    (
      ") { context in TodoReactor(context.session) }",
      "Action, Mutation and State must be Codable: add ': Codable' to those without it"
    ),
    (
      """
      parameters: String.self, defaultParameters: "", exampleActions: [.clear],
        whenInterrupted: .giveUp, upgradeParameters: []) { TodoReactor($0.parameters) }
      """,
      "Action, Mutation, State and parameters must be Codable: add ': Codable' to those without it"
    ),
  ]

  @Test(arguments: registrations)
  func `a type without Codable is named whatever arguments the registration has`(
    _ arguments: String, _ message: String
  ) throws {
    let separator = arguments.hasPrefix(")") ? "" : ", "
    let source = Self.reactor
      .replacingOccurrences(
        of: ", exampleActions: [.clear]) { TodoReactor() }", with: separator + arguments
      )
      .replacingOccurrences(
        of: "let initialState", with: "init(_ value: Any = 0) {}\n  let initialState")
    #expect(try Self.firstError(source) == nil)
    let error = try #require(
      try Self.firstError(source.replacingOccurrences(of: "State: Codable", with: "State")))
    #expect(error.hasSuffix(message), "\(error)")
  }
}
