import Foundation
import Testing

/// `/reactor.js`, `/reactor.d.ts` and the types of the reactors, as files.
@Suite(.blocking)
struct ClientFileTests {
  let server: ReactordProcess
  let folder: TemporaryFolder

  init() throws {
    server = try ReactordProcess.shared.get()
    folder = try TemporaryFolder()
  }

  private func save(_ path: String, as name: String) throws {
    let answer = try server.client().get(path)
    #expect(answer.status == 200)
    let file = URL(filePath: folder[name])
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(answer.body).write(to: file)
  }

  private func run(_ command: String) throws -> (exit: ChildProcess.Exit, output: String) {
    let shell = try ChildProcess("/bin/sh", ["-c", "cd \(folder.path) && \(command)"])
    let exit = try shell.wait(within: .seconds(120))
    return (exit, shell.standardOutput + shell.standardError)
  }

  @Test func `the client is a module of its own, with its types beside it`() throws {
    let script = try server.client().get("/reactor.js")
    #expect(script.status == 200)
    #expect(script["Content-Type"] == "text/javascript; charset=utf-8")
    #expect(!script.text.contains(" from \"") || !script.text.contains("\nimport "))
    let types = try server.client().get("/reactor.d.ts")
    #expect(types.status == 200)
    #expect(types["Content-Type"] == "application/typescript; charset=utf-8")
  }

  @Test func `the client is less than 8 KB, minified and compressed`() throws {
    try save("/reactor.js", as: "reactor.js")
    let (exit, output) = try run("esbuild --minify --format=esm reactor.js | gzip -9 | wc -c")
    #expect(exit == .code(0), "\(output)")
    let size = try #require(Int(output.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(0 < size && size < 8192)
  }

  @Test func `the types of a reactor are those of its schemas`() throws {
    let answer = try server.client().get("/v1/reactors/chat/types.ts")
    #expect(answer["Content-Type"] == "application/typescript; charset=utf-8")
    for line in [
      #"export type Action = { join: string } | { leave: string } | { send: { from: string; text: string } };"#,
      "export type State = { members: string[]; messages: { from: string; text: string; at: string }[] };",
    ] {
      #expect(answer.text.contains(line))
    }
    try expectProblem(
      try server.client().get("/v1/reactors/nothing/types.ts"), 404, "unknown-reactor")
  }

  @Test func `a page in TypeScript has its mistakes found`() throws {
    try save("/reactor.d.ts", as: "reactor.d.ts")
    for reactor in ["counter", "profile", "weather", "chat", "stopwatch"] {
      try save("/v1/reactors/\(reactor)/types.ts", as: "v1/\(reactor).ts")
    }
    let text = """
      import { indicator, on, property, reactor } from "./reactor";
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
      reactor<Chat.State, Chat.Action>("chat", "demo")
        .send([{ join: "Ada" }, { send: { from: "Ada", text: "Hello" } }]);
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

      """
    try Data(text.utf8).write(to: URL(filePath: folder["page.ts"]))
    let (exit, output) = try run("tsc --noEmit --strict --target es2020 --lib dom,es2020 page.ts")
    #expect(exit == .code(0), "\(output)")
  }
}
