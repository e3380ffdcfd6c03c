import Foundation
import Testing

extension GalleryBrowserTests {
  /// README, the tutorial and the guide "Users and rights" are executed from top to bottom.
  struct ArticleTests {
    private static let articles = "Sources/Server/ReactorService/Documentation.docc"

    /// The differences between files that an article has written, and a folder whose files are compiled and tested.
    private func differences(_ written: String, _ compiled: String) throws -> String {
      let diff = try ChildProcess(
        "/usr/bin/diff",
        [
          "-r", "--exclude=.*", Guide.root.appending(path: "Tests/Examples/\(compiled)").path,
          written,
        ])
      try diff.wait()
      return diff.standardOutput
    }

    @Test func `the tutorial: its files are compiled, its commands run, and its page is a view`()
      throws
    {
      let shell = try ArticleShell(Guide("\(Self.articles)/BuildAChatRoom.md").blocks)
      let outputs = try shell.outputs()
      let printed = outputs.flatMap(\.self)
      let different = try differences(shell.folder["room"], "Tutorial").split(separator: "\n")
      #expect(
        different.allSatisfy { $0.hasSuffix(": data") || $0.hasSuffix(": public") }, "\(different)")

      let spoken = #"{"members":["Ada"],"lines":[{"who":"Ada","text":"Hello"}]}"#
      #expect(printed.contains(#"{"members":["Ada"],"lines":[]}"#))
      #expect(printed.contains { $0.contains("Bob is not in the room") })
      #expect(printed.last { $0.hasPrefix(#"{"members""#) }?.hasPrefix(spoken.dropLast(2)) == true)
      // A process in the background writes the stream.
      var stream = ""
      _ = try eventually {
        stream = try String(contentsOfFile: shell.folder["stream"], encoding: .utf8)
        return stream.contains(spoken)
      }
      #expect(stream.contains(spoken))

      let browser = try Browser()
      try browser.open(shell.url + "/")
      let shown = "return document.querySelector('#latest').textContent"
      let field = "return document.querySelector('input')"
      try browser.type("Good morning", into: field)
      try browser.click("return document.querySelector('button')")
      try browser.expect(shown, is: "Good morning")
      #expect(try browser.run(field + ".value") == "")
      // The empty field is not sent, nor is the former text.
      try browser.click("return document.querySelector('button')")
      // A text in progress stays when another client changes the State.
      try browser.type("Unfinished", into: field)
      try browser.run(
        """
        document.querySelector('li').dataset.first = true;
        fetch('/v1/reactors/room/sessions/den/actions', {
          method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"say":{"who":"Ada","text":"Bye"}}' })
        """)
      try browser.expect(shown, is: "Bye")
      #expect(try browser.run(field + ".value") == "Unfinished")
      #expect(try browser.run("return document.querySelector('li').dataset.first") == "true")
      let lines = "[...document.querySelectorAll('li')].map((line) => line.textContent)"
      let count = "return \(lines).filter((text) => text === 'Ada: Good morning').length"
      #expect(try browser.run(count) == 1)
      #expect(try browser.complaints() == [])
    }

    @Test func `users and rights: each command has the output that the guide shows`() throws {
      let guide = try Guide("\(Self.articles)/UsersAndRights.md")
      let shell = try ArticleShell(guide.blocks)
      let unexpected = try shell.differences()
      #expect(unexpected == [])
      #expect(guide.blocks.filter { $0.language == "sh" }.count >= 12)
      let package = shell.folder["cart"]
      let different = try differences(package, "UsersAndRights")
        .split(separator: "\n").filter { !$0.hasPrefix("Only in \(package)") }
      #expect(different == [])
      let token = "a-long-random-text-of-yours".asBearer
      let server = try ReactordProcess("--auth-tokens", package + "/tokens")
      #expect(try server.client().get("/metrics", token).status == 200)
    }

    @Test func `README: its commands run`() throws {
      var blocks = try Guide("README.md").blocks.filter { ["sh", "swift"].contains($0.language) }
      // The development of the project, and the image, which `make check-image` tests.
      blocks.removeAll { $0.code.contains("docker") || $0.code.contains("make lint") }
      // "Run `make run` again": the daemon with the reactor of the article.
      let use = try #require(blocks.firstIndex { $0.code.contains("/todo/sessions/home") })
      blocks.insert(Guide.Block(language: "sh", code: "make run\n", file: nil), at: use)
      // The checkout, which the article leaves with `cd ..`.
      let enter = "mkdir checkout\ncd checkout\n"
      blocks.insert(Guide.Block(language: "sh", code: enter, file: nil), at: 0)
      let shell = try ArticleShell(
        blocks, runs: ["reactord", "ReadmeExample", "todo --store memory --pages public"])
      let printed = try shell.outputs().flatMap(\.self)
      #expect(printed.contains(#"{"value":1}"#))
      #expect(printed.contains(#"{"items":[{"title":"Buy milk","isDone":true}]}"#))
      #expect(printed.contains { $0.contains("limits-state") })
    }

    /// The JavaScript of the articles, by the index among the blocks of its language, with the title of the page at the
    /// end.
    ///
    /// Other tests run the complete pages; `vite.config.js` is for another program.
    private static let scripts:
      [(article: String, index: Int, before: String, after: String, shown: String)] = [
        (
          "README.md", 0, "", "document.title = (await counter.send('increase')).value > 0;", "true"
        ),
        (
          "\(articles)/BindAPage.md", 0, "",
          "counter.state.subscribe(({ value }) => { document.title = value >= 2; });", "true"
        ),
        (
          "\(articles)/BindAPage.md", 2, "",
          """
          const { reactor } = await import("./reactor.js");
          document.title = (await reactor("counter", "based").send("increase")).value > 0;
          """, "true"
        ),
        (
          "\(articles)/BindAPage.md", 3,
          """
          const list = document.querySelector("ul");
          const todo = { send() {}, state: { drive: (show) => show({ items: [{ id: 1, title: "Tea", isDone: true }] }) } };
          """, "document.title = list.textContent;", "Tea"
        ),
        (
          "\(articles)/BindAPage.md", 4, "const boards = [];", "document.title = 'shown';",
          "shown"
        ),
        (
          "\(articles)/BindAPage.md", 6, "const token = 'a-token';",
          "document.title = (await reactor('counter', 'token').send('increase')).value > 0;", "true"
        ),
        (
          "\(articles)/BindAPage.md", 7, "",
          "document.title = (await counter.send('increase')).value > 0;", "true"
        ),
        (
          "Sources/Kit/ReactorFlows/Documentation.docc/ScreensAndFlows.md", 0,
          """
          const [element, title, add] = ["section", "h2", "button"].map((name) => document.createElement(name));
          element.textContent = "menu";
          """, "document.title = 'shown';", "shown"
        ),
        (
          "Sources/Server/ReactorHTTP/Documentation.docc/HTTPContract.md", 0, "",
          "session.state.subscribe(({ value }) => { document.title = value > 0; });", "true"
        ),
        (
          "Sources/Server/ReactorHTTP/Documentation.docc/HTTPContract.md", 1,
          #"import { reactor } from "/reactor.js"; const session = reactor("order", "contract");"#,
          "document.title = 'shown';", "shown"
        ),
      ]

    @Test func `the JavaScript of the articles runs in a page`() throws {
      let folder = try TemporaryFolder()
      let server = try ReactordProcess("--pages", folder.path)
      let browser = try Browser()
      for (number, (article, index, before, after, shown)) in Self.scripts.enumerated() {
        var code = try Guide(article).blocks.filter { $0.language == "js" }[index].code
        code = code.replacing("{ … return element; }", with: "{ return element; }")
          .replacing("{ … }", with: "{ return document.createElement('p'); }")
          .replacing("https://reactors.example", with: server.url)
        let imports =
          code.contains("import {")
          ? "" : #"import { configure, items, on, reactor } from "/reactor.js";"#
        try """
        <!doctype html><meta charset="utf-8"><title>-</title><link rel="icon" href="data:,"><main></main><ul></ul>
        <button></button><output></output><p></p><input><progress></progress>
        <script type="module">
        \(imports)
        \(before)
        \(code)
        \(after)
        </script>
        """.write(toFile: folder["\(number).html"], atomically: true, encoding: .utf8)
        try browser.open("\(server.url)/\(number).html")
        try browser.expect("return document.title", is: .string(shown))
        let complaints = try browser.complaints()
        #expect(complaints == [], "\(article) \(index)")
      }
    }
  }
}
