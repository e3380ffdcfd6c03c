import Foundation
import Testing

/// `/reactor.js`, `/reactor.d.ts` and the types of the reactors, as files.
@Suite(.blocking)
struct ClientFileTests {
  private let server: ReactordProcess
  private let folder: TemporaryFolder
  private let sources: URL

  init() throws {
    server = try ReactordProcess.shared.get()
    folder = try TemporaryFolder()
    sources =
      URL(filePath: #filePath).appending(path: "../../../../../Sources/Server/ReactorPages")
      .standardizedFileURL
  }

  private func save(_ path: String, as name: String) throws {
    let response = try server.client().get(path)
    #expect(response.status == 200)
    let file = URL(filePath: folder[name])
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(response.body).write(to: file)
  }

  private func run(
    _ command: String, in directory: String? = nil
  ) throws -> (exit: ChildProcess.Exit, output: String) {
    let shell = try ChildProcess(
      "/bin/sh", ["-c", "cd '\(directory ?? folder.path)' && \(command)"])
    let exit = try shell.wait()
    return (exit, shell.standardOutput + shell.standardError)
  }

  /// Whether esbuild is that of Debian 12, which has written the files; another version writes other names.
  private static var hasBundler: Bool {
    let program = try? ChildProcess("/bin/sh", ["-c", "esbuild --version"])
    return (try? program?.wait()) == .code(0) && program?.standardOutput == "0.17.0\n"
  }

  @Test func `the client is one module, with its types beside it`() throws {
    let script = try server.client().get("/reactor.js")
    #expect(script.status == 200)
    #expect(script["Content-Type"] == "text/javascript; charset=utf-8")
    #expect(!script.text.contains("import{") && !script.text.contains("from\""))
    let types = try server.client().get("/reactor.d.ts")
    #expect(types.status == 200)
    #expect(types["Content-Type"] == "application/typescript; charset=utf-8")
  }

  @Test(.enabled(if: hasBundler))
  func `the client is bundled from its current modules`() throws {
    let (exit, bundle) = try run(
      "esbuild --bundle --minify --format=esm --charset=utf8 Client/client.js",
      in: sources.path)
    #expect(exit == .code(0), "\(bundle)")
    #expect(try server.client().get("/reactor.js").text == bundle, "run make client")
  }

  @Test(.enabled(if: hasBundler))
  func `the client of flows is bundled from its current modules, with its types`() throws {
    let (exit, bundle) = try run(
      "esbuild --bundle --minify --format=esm --charset=utf8 --external:/reactor.js "
        + #"Client/flow/flow.js | sed 's|"/reactor.js"|"./reactor.js"|g'"#, in: sources.path)
    #expect(exit == .code(0), "\(bundle)")
    #expect(try server.client().get("/flow.js").text == bundle, "run make client")
    #expect(try server.client().get("/flow.d.ts").text.contains("export function flow("))
  }

  @Test(.enabled(if: hasBundler), arguments: ["react", "svelte", "vue"])
  func `the bindings have their current modules, with at most 60 lines`(name: String) throws {
    let (exit, script) = try run(
      "esbuild --minify --format=esm --charset=utf8 Client/bindings/\(name).js", in: sources.path)
    #expect(exit == .code(0), "\(script)")
    #expect(try server.client().get("/reactor-\(name).js").text == script, "run make client")
    #expect(
      try server.client().get("/reactor-\(name).d.ts").text.contains("useReactor<")
        || name == "svelte")
    let module = try String(
      contentsOf: sources.appending(path: "Client/bindings/\(name).js"), encoding: .utf8)
    #expect(module.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
  }

  @Test func `the client of flows has less than 3 KB, compressed`() throws {
    try save("/flow.js", as: "flow.js")
    let (exit, output) = try run("gzip -9 < flow.js | wc -c")
    #expect(exit == .code(0), "\(output)")
    let size = try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(0 < size && size < 3_000)
  }

  @Test func `the client has at most 13 KB, compressed`() throws {
    try save("/reactor.js", as: "reactor.js")
    let (exit, output) = try run("gzip -9 < reactor.js | wc -c")
    #expect(exit == .code(0), "\(output)")
    let size = try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(0 < size && size <= 13_312)
  }

  @Test func `the modules implement exactly the declarations`() throws {
    let (exit, output) = try run("tsc -p Client", in: sources.path)
    #expect(exit == .code(0), "\(output)")
  }

  @Test(arguments: [
    ("streams.js", "throttle(", "trottle("), ("session.js", "get version", "get wersion"),
    ("flow/screens.js", "dismiss() {", "dismis() {"),
    ("bindings/react.js", "useReactor", "useRector"), ("bindings/svelte.js", "send:", "sent:"),
    ("bindings/vue.js", "useValue", "useValues"),
    (
      "client.js", "export { traits }",
      "export { settings } from \"./requests.js\";\nexport { traits }"
    ),
    ("client.js", "export { layout } from \"./layout.js\";", ""),
  ])
  func `a module that differs from the declarations is found`(
    module: String, text: String, replacement: String
  ) throws {
    try FileManager.default.copyItem(
      at: sources.appending(path: "Client"), to: URL(filePath: folder["Client"]))
    for name in ["flow", "reactor", "reactor-react", "reactor-svelte", "reactor-vue"] {
      try FileManager.default.copyItem(
        at: sources.appending(path: "\(name).d.ts"), to: URL(filePath: folder["\(name).d.ts"]))
    }
    let file = URL(filePath: folder["Client/\(module)"])
    let source = try String(contentsOf: file, encoding: .utf8)
    try #require(source.contains(text))
    try source.replacing(text, with: replacement).write(to: file, atomically: true, encoding: .utf8)
    let (exit, output) = try run("tsc -p Client")
    #expect(exit != .code(0) && !output.contains("Cannot find module"), "\(output)")
  }

  // MARK: Types of reactors

  @Test func `the types of a reactor are those of its schemas`() throws {
    let response = try server.client().get("/v1/reactors/chat/types.ts")
    #expect(response["Content-Type"] == "application/typescript; charset=utf-8")
    for line in [
      #"export type Action = { join: string } | { leave: string } | { send: { from: string; text: string } };"#,
      "export type State = { members: string[]; messages: { from: string; text: string; at: string }[] };",
    ] {
      #expect(response.text.contains(line))
    }
    try expectProblem(
      try server.client().get("/v1/reactors/nothing/types.ts"), 404, "unknown-reactor")
  }

  @Test func `the import that the types show compiles`() throws {
    try save("/reactor.d.ts", as: "reactor.d.ts")
    try save("/v1/reactors/counter/types.ts.d.ts", as: "v1/reactors/counter/types.ts.d.ts")
    let types = try server.client().get("/v1/reactors/counter/types.ts").text
    #expect(types == (try server.client().get("/v1/reactors/counter/types.ts.d.ts").text))
    let lines = types.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { $0.hasPrefix("//   ") }.map { $0.dropFirst(5) }
    #expect(lines.count == 3)
    let page = """
      \(lines.joined(separator: "\n"))
      session.send("increase").then(({ value }) => value.toFixed());
      // @ts-expect-error
      session.send("jump");

      """
    try page.write(toFile: folder["page.ts"], atomically: true, encoding: .utf8)
    let settings = """
      { "compilerOptions": { "strict": true, "noEmit": true, "target": "es2022", "module": "es2022",
          "moduleResolution": "node", "baseUrl": ".", "paths": { "/*": ["./*"] } },
        "files": ["page.ts"] }
      """
    try settings.write(toFile: folder["tsconfig.json"], atomically: true, encoding: .utf8)
    let (exit, output) = try run("tsc -p .")
    #expect(exit == .code(0), "\(output)")
  }

  @Test func `tsc finds the mistakes of a page`() throws {
    try save("/reactor.d.ts", as: "reactor.d.ts")
    for reactor in ["counter", "profile", "weather", "chat", "stopwatch"] {
      try save("/v1/reactors/\(reactor)/types.ts", as: "v1/\(reactor).ts")
    }
    let text = """
      import { indicator, on, property, reactor, traits } from "./reactor";
      import type * as Chat from "./v1/chat";
      import type * as Counter from "./v1/counter";
      import type * as Profile from "./v1/profile";
      import type * as Stopwatch from "./v1/stopwatch";
      import type * as Weather from "./v1/weather";

      const counter = reactor<Counter.State, Counter.Action>("counter", "demo", {
        reduce: (state, action) => action === "increase" ? { value: state.value + 1 } : state,
      });
      counter.state.map(({ value }) => value.toFixed()).drive(document.body, "title");
      on(document.body, "click").map((): Counter.Action => "increase").to(counter);
      counter.send({ add: 2 }, { optimistic: ({ value }) => ({ value: value + 2 }) })
        .then(({ value }) => value + 1);
      counter.activity.drive(indicator(document.body));
      counter.state.changes().subscribe((change) => change.old?.value.toFixed());
      const room = reactor<Chat.State, Chat.Action>("chat", "demo");
      room.send([{ join: "Ada" }, { send: { from: "Ada", text: "Hello" } }]);
      on(document.body, "click").withLatestFrom(property(document.body))
        .map(([, text]): Chat.Action => ({ send: { from: "Ada", text } })).to(room);
      traits.map(({ width, safeArea }) => width === "compact" ? safeArea.top : 0);
      reactor<Profile.State, Profile.Action>("profile", "demo").state.value?.user?.name.length;
      reactor<Stopwatch.State, Stopwatch.Action>("stopwatch", "demo").send("start");
      property(document.body).bind(reactor<Weather.State, Weather.Action>("weather", "demo"), {
        value: ({ query }) => query, action: (query) => ({ search: query }), throttle: 300,
      });
      // @ts-expect-error
      counter.send("jump");
      // @ts-expect-error
      counter.send({ add: "2" });
      // @ts-expect-error
      counter.state.value?.values;
      // @ts-expect-error
      counter.bind();
      // @ts-expect-error
      traits.map(({ width }) => width === "wide");

      """
    try text.write(toFile: folder["page.ts"], atomically: true, encoding: .utf8)
    let (exit, output) = try run("tsc --noEmit --strict --target es2020 --lib dom,es2020 page.ts")
    #expect(exit == .code(0), "\(output)")
  }
}
