import Testing

extension ClientBrowserTests {
  /// `/reactor.js`: parts of sessions, and presence without their States.
  struct ClientPartTests {
    let browser: Browser
    let page: ClientPage
    let server: ReactordProcess

    init() throws {
      browser = try Browser()
      server = try ReactordProcess()
      page = ClientPage(browser: browser, server: server)
      try open()
    }

    /// Loads a page that records its streams: their addresses, and their bytes as text.
    private func open() throws {
      try page.open()
      try page.run(
        """
        window.streams = [];
        const original = window.fetch;
        window.fetch = async (url, options) => {
          const response = await original(url, options);
          if (!String(url).includes("v1/events")) return response;
          const stream = { selects: new URL(url).searchParams.getAll("select"), text: "" };
          streams.push(stream);
          const [own, other] = response.body.pipeThrough(new TextDecoderStream()).tee();
          (async () => { for await (const text of own) stream.text += text; })().catch(() => {});
          return new Response(other.pipeThrough(new TextEncoderStream()), response);
        };
        """)
    }

    private func chat(_ number: Int) throws -> SessionClient {
      let room = server.session(of: "chat")
      let text = String(repeating: "secret-\(number) ", count: 100)
      try room.post(#"[{"join":"Ada"},{"send":{"from":"Ada","text":"\#(text)"}}]"#)
      return room
    }

    @Test func `a side bar of 30 rooms receives 30 parts over one stream`() throws {
      let rooms = try (0..<30).map(chat)
      try page.run(
        """
        window.parts = first.map((id) => client.part("chat", id, "/members"));
        window.seen = parts.map(() => []);
        parts.forEach((part, index) => part.value.subscribe((value) => seen[index].push(value)));
        """, .array(rooms.map { .string($0.id) }))
      try page.expect("parts.every(({ value }) => value.value?.[0] === 'Ada')", is: true)
      try rooms[7].post(#"{"join":"Ben"}"#)
      try rooms[8].post(#"{"send":{"from":"Ada","text":"secret"}}"#)
      try rooms[9].post(#"{"join":"Eve"}"#)
      try page.expect("parts[9].value.value", is: ["Ada", "Eve"])
      #expect(try page.run("return seen[7]") == [["Ada"], ["Ada", "Ben"]])
      // The message of room 8 has caused no event, and no message was received.
      #expect(try page.run("return seen[8]") == [["Ada"]])
      #expect(try page.run("return streams.some(({ text }) => text.includes('secret'))") == false)
      #expect(try page.run("return streams.length") == 1)
      #expect(
        try page.run(
          "return parts[0] === client.part('chat', first, '/members')", .string(rooms[0].id))
          == true)
    }

    @Test func `presence and activity need nothing of the State`() throws {
      let room = try chat(0)
      try page.run(
        """
        window.part = client.part("chat", first);
        part.presence.subscribe(() => {});
        """, .string(room.id))
      try page.expect("part.presence.value?.count", is: 1)
      let other = try room.events("?name=Ben")
      try page.expect("part.presence.value.subscribers[0]?.name", is: "Ben")
      try room.post(#"{"join":"Ben"}"#)
      other.abort()
      try page.expect("part.presence.value.count", is: 1)
      #expect(try page.run("return part.value.value") == .null)
      #expect(try page.run("return part.connection.value") == "live")
      #expect(try page.run("return streams.some(({ text }) => text.includes('Ada'))") == false)
      _ = try room.delete()
      try page.expect("part.hasEnded", is: true)
    }

    @Test func `parts and the whole State of a session are shown together`() throws {
      let room = try chat(0)
      try page.run(
        """
        window.members = client.part("chat", first, "/members");
        window.third = client.part("chat", first, "/members/1");
        """, .string(room.id))
      try page.expect("members.value.value", is: ["Ada"])
      #expect(
        try page.run("return [third.value.value, streams.at(-1).selects]") == [nil, ["/members"]])
      try page.run("window.whole = reactor('chat', first)", .string(room.id))
      try page.expect("whole.state.value?.messages.length", is: 1)
      #expect(try page.run("return streams.at(-1).selects") == [])
      try page.run("await whole.send({ join: 'Ben' })")
      try page.expect("[members.value.value.length, third.value.value]", is: [2, "Ben"])
      // The stream has the part alone again when nothing else is shown.
      try page.run("whole.close()")
      try page.expect("streams.at(-1).selects", is: ["/members"])
      try room.post(#"{"join":"Eve"}"#)
      try page.expect("members.value.value", is: ["Ada", "Ben", "Eve"])
      try page.run("members.close()")
      try page.expect("streams.at(-1).selects", is: ["/members/1"])
      try room.post(#"{"leave":"Ben"}"#)
      try page.expect("third.value.value", is: "Eve")
    }

    @Test func `tabs with different parts of a session share one stream`() throws {
      let room = try chat(0)
      let first = try browser.window()
      try page.run("window.part = client.part('chat', first, '/members')", .string(room.id))
      try page.expect("part.value.value", is: ["Ada"])
      _ = try browser.openWindow()
      try open()
      try page.follow(server.session(of: "counter"))
      try page.run("window.whole = reactor('chat', first)", .string(room.id))
      try page.expect("whole.state.value?.members.length", is: 1)
      try room.post(#"{"join":"Ben"}"#)
      try page.expect("whole.state.value.members.length", is: 2)
      try browser.closeWindow(andChoose: first)
      try room.post(#"{"join":"Eve"}"#)
      try page.expect("part.value.value", is: ["Ada", "Ben", "Eve"])
      try page.expect("streams.at(-1).selects", is: ["/members"])
    }

    @Test func `a text that is no JSON Pointer is rejected at once`() throws {
      #expect(
        try page.run(
          """
          try { client.part("counter", "demo", "value"); } catch (error) { return error.name; }
          """) == "TypeError")
    }
  }

  /// `/reactor.js`: the changes of all sessions.
  struct ClientChangeTests {
    let browser = Result { try Browser() }

    @Test func `changes are those of the pages, and continue after a restart of the server`() throws
    {
      let folder = try TemporaryFolder()
      let port = try ReservedPort()
      let flags = [
        "--listen", port.address, "--store", "sqlite:" + folder["log.db"], "--changes-keep", "3600",
      ]
      let server = try ReactordProcess(flags)
      let page = ClientPage(browser: try browser.get(), server: server)
      let session = server.session(of: "counter")
      try session.post(#"["increase","increase"]"#)
      try page.open()
      #expect(
        try page.run(
          """
          const all = [];
          for await (const change of client.changes({ follow: false, with: "state" })) all.push(change);
          return all.map(({ kind, to, state }) => [kind, to ?? null, state?.value ?? null]);
          """) == [["began", nil, 0], ["changed", 2, 2]])
      try page.run(
        """
        window.seen = [];
        window.ending = new AbortController();
        window.loop = (async () => {
          const options = { after: "0", reactor: ["counter"], session: first, signal: ending.signal };
          for await (const change of client.changes(options)) seen.push(change.to ?? change.kind);
          return "ended";
        })();
        """, .string(session.id))
      try page.expect("seen", is: ["began", 2])
      try server.session(of: "stopwatch").post(#""reset""#)
      try session.post(#""increase""#)
      try page.expect("seen", is: ["began", 2, 3])
      server.process.signal(9)
      try server.process.wait()
      let next = try ReactordProcess(flags)
      try SessionClient(next.client(), session.path).post(#""increase""#)
      try page.expect("seen", is: ["began", 2, 3, 4])
      #expect(try page.run("ending.abort(); return await loop") == "ended")
      #expect(
        try page.run(
          """
          try {
            for await (const change of client.changes({ after: "other.1", follow: false }));
          } catch ({ status, members }) { return [status, members.type]; }
          """) == [410, "/problems/cursor-expired"])
      try page.run(
        """
        for await (const change of client.changes({ after: "other.1" })) {
          window.reset = change.kind;
          break;
        }
        """)
      try page.expect("reset", is: "reset")
    }

    @Test func `a service that retains no changes is a problem`() throws {
      let page = ClientPage(browser: try browser.get(), server: try ReactordProcess.shared.get())
      try page.open()
      #expect(
        try page.run(
          """
          try { for await (const change of client.changes()); } catch ({ members }) { return members.type; }
          """) == "/problems/changes-disabled")
    }
  }
}
