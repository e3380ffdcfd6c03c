import Testing

extension InspectorBrowserTests {
  /// The inspector: the timeline, composed actions, effects and charts.
  struct TimelineTests {
    let page: InspectorPage
    let browser: Browser
    let server: ReactordProcess
    let room: SessionClient

    init() throws {
      server = try ReactordProcess.shared.get()
      browser = try Browser()
      page = InspectorPage(browser: browser, server: server)
      room = server.session(of: "chat")
      for action in [
        #"{"join":"Ada"}"#, #"{"join":"Grace"}"#, #"{"send":{"from":"Ada","text":"Hello"}}"#,
        #"{"leave":"Grace"}"#,
      ] {
        try room.post(action)
      }
    }

    private let changes = """
      return [...document.querySelectorAll('#state [data-change]')].map((row) =>
        [row.dataset.change, row.textContent.replace(/,$/, "")])
      """

    @Test func `the log lists mutations with their actions, the newest first`() throws {
      try page.open(room)
      try browser.expect(
        """
        return [...document.querySelectorAll('#log button')].map((entry) =>
          [entry.children[0].textContent, entry.children[1].textContent])
        """,
        is: [
          ["4", #"{"leave":"Grace"}"#], ["3", #"{"send":{"from":"Ada","text":"Hello"}}"#],
          ["2", #"{"join":"Grace"}"#], ["1", #"{"join":"Ada"}"#],
        ])
      try room.post(#"{"leave":"Ada"}"#)
      try browser.expect(
        "return document.querySelector('#log code').textContent", is: #"{"leave":"Ada"}"#)
      try page.expectNoComplaints()
    }

    @Test func `a past version shows its State, its changes and their cause`() throws {
      try page.open(room)
      try browser.click("return document.querySelector('#log [data-version=\"2\"] button')")
      try page.expectState(#"{"members":["Ada","Grace"],"messages":[]}"#)
      try page.expectText("version 2, as it was", in: "#version")
      try browser.expect(changes, is: [["added", #""Grace""#]])
      try page.expectText(#"{"join":"Grace"}"#, in: "#moment")
      try page.expectText(#"{"addMember":"Grace"}"#, in: "#moment")

      // New versions do not change the view.
      try room.post(#"{"join":"Joan"}"#)
      try page.expectText("version 2 of 5", in: "#timeline-version")
      try page.expectState(#"{"members":["Ada","Grace"],"messages":[]}"#)
      try page.press("Later")
      try page.press("Later")
      try browser.expect(changes, is: [["removed", #""Grace""#]])
      try page.press("Live")
      try page.expectText("version 5, live", in: "#timeline-version")
      try page.expectText("\"Joan\"", in: "#state")
      try page.expectNoComplaints()
    }

    /// Delays the responses with past States until `release()`.
    private func holdStates() throws {
      try browser.run(
        """
        const real = window.fetch;
        const isReleased = new Promise((resolve) => { window.release = resolve; });
        window.fetch = async (address, options) => {
          const response = await real(address, options);
          if (String(address).includes('/state?version=')) await isReleased;
          return response;
        };
        """)
    }

    @Test func `a version is shown although one of the former session was loading`() throws {
      let other = server.session(of: "chat")
      try other.post(#"{"join":"Joan"}"#)
      try other.post(#"{"join":"Jean"}"#)
      try page.open(room)
      try browser.expect("return document.querySelectorAll('#log li').length", is: 4)
      try holdStates()
      try browser.click("return document.querySelector('#log [data-version=\"1\"] button')")
      try page.expectText("version 1 of 4", in: "#timeline-version")
      try browser.run("location.hash = arguments[0]", .string(page.address(of: other)))
      try browser.expect("return document.querySelectorAll('#log li').length", is: 2)
      try browser.click("return document.querySelector('#log [data-version=\"1\"] button')")
      try page.expectText("version 1 of 2", in: "#timeline-version")
      try browser.run("release()")
      try page.expectState(#"{"members":["Joan"],"messages":[]}"#)
      try page.expectText("version 1, as it was", in: "#version")
      try page.expectNoComplaints()
    }

    @Test func `an interrupted response is reported, and the next version is shown`() throws {
      try page.open(room)
      try browser.expect("return document.querySelectorAll('#log li').length", is: 4)
      try browser.run(
        """
        const real = window.fetch;
        window.fetch = async (address, options) => {
          if (!String(address).includes('/state?version=')) return real(address, options);
          window.fetch = real;
          return new Response(new ReadableStream({ start: (body) => body.error(new TypeError("Broken")) }));
        };
        """)
      try browser.click("return document.querySelector('#log [data-version=\"1\"] button')")
      try page.expectText("The response cannot be read", in: "#timeline-problem")
      try page.press("Later")
      try page.expectState(#"{"members":["Ada","Grace"],"messages":[]}"#)
      try browser.expect("return document.querySelector('#timeline-problem').innerText", is: "")
      try page.expectNoComplaints()
    }

    @Test func `new versions do not move a past one that the user reads`() throws {
      try page.open(room)
      try browser.click("return document.querySelector('#log [data-version=\"2\"] button')")
      try page.expectText("version 2, as it was", in: "#version")
      try browser.run(
        """
        window.mutations = 0;
        new MutationObserver((records) => { mutations += records.length; }).observe(
          document.querySelector('#state'),
          { attributes: true, childList: true, characterData: true, subtree: true });
        """)
      try room.post(#"{"join":"Joan"}"#)
      try page.expectText("version 2 of 5", in: "#timeline-version")
      #expect(try browser.run("return mutations") == 0)
    }

    @Test func `entries have their dates, and the hour after midnight is 00`() throws {
      try page.open()
      try browser.run(
        """
        const real = window.fetch;
        window.fetch = async (address, options) => {
          const response = await real(address, options);
          if (!String(address).includes('/log?')) return response;
          const text = await response.text();
          return new Response(
            text.replace(/"at":"[^"]*"/g, '"at":"2026-01-02T00:00:00.005"'), response);
        };
        location.hash = arguments[0];
        """, .string(page.address(of: room)))
      try browser.expect(
        "return document.querySelector('#log time')?.innerText", is: "00:00:00.005")
      try browser.expect(
        "return document.querySelector('#log time').dateTime", is: "2026-01-02T00:00:00.005")
      try browser.click("return document.querySelector('#log [data-version=\"2\"] button')")
      try page.expectText("Jan 2, 2026, 00:00:00.005", in: "#moment")
    }

    @Test func `the arrow keys scrub`() throws {
      try page.open(room)
      try page.expectText("version 4, live", in: "#timeline-version")
      try browser.run("document.querySelector('#scrubber').focus()")
      try browser.press(.left, .left, .left)
      try page.expectState(#"{"members":["Ada"],"messages":[]}"#)
      try browser.expect(
        "return document.querySelector('#scrubber').getAttribute('aria-valuetext')", is: "version 1"
      )
      try browser.press(.left)
      try page.expectState(#"{"members":[],"messages":[]}"#)
      try page.expectText("The initial State.", in: "#moment")
      try browser.press(.right, .right, .right, .right)
      try page.expectText("version 4 of 4", in: "#timeline-version")
    }

    @Test func `a session plays from its beginning to its end`() throws {
      try page.open(room)
      try page.expectText("version 4, live", in: "#timeline-version")
      try browser.run(
        """
        window.seen = [];
        new MutationObserver(() => {
          const text = document.querySelector('#timeline-version').textContent;
          if (seen.at(-1) !== text) seen.push(text);
        }).observe(document.querySelector('#timeline-version'), { childList: true });
        """)
      try page.press("Play")
      try browser.expect("return document.querySelector('#play').textContent", is: "Play")
      try browser.expect(
        "return seen.filter((text) => text.includes(' of '))",
        is: [
          "version 0 of 4", "version 1 of 4", "version 2 of 4", "version 3 of 4", "version 4 of 4",
        ])
      try page.expectNoComplaints()
    }

    @Test func `a session is forked at a version of the past`() throws {
      try page.open(room)
      try browser.click("return document.querySelector('#log [data-version=\"2\"] button')")
      try page.expectText("version 2 of 4", in: "#timeline-version")
      try page.press("Fork here")
      try browser.expect(
        "return location.hash.startsWith('#/chat/') && !location.hash.endsWith('/\(room.id)')",
        is: true)
      try page.expectStatus("live")
      try page.expectState(#"{"members":["Ada","Grace"],"messages":[]}"#)
      try page.expectText("version 2, live", in: "#timeline-version")
      #expect(try room.state().json["members"] == ["Ada"])
      try page.expectNoComplaints()
    }

    @Test func `changes are marked`() throws {
      let session = server.session(of: "counter")
      try page.open(session)
      // The first State has no changes.
      try page.expectState(#"{"value":0}"#)
      try browser.expect(changes, is: [])
      try session.post(#"{"add":3}"#)
      try browser.expect(changes, is: [["changed", #""value": 3"#]])
      try room.post(#"{"join":"Joan"}"#)
      try page.open(room)
      // The first State of another session has none either.
      try page.expectText("\"Joan\"", in: "#state")
      try room.post(#"{"leave":"Ada"}"#)
      try browser.expect(changes, is: [["removed", #""Ada""#]])
    }

    @Test func `an action is composed from its schema`() throws {
      try page.open(room)
      try browser.expect(
        "return [...document.querySelectorAll('#case option')].map(({ value }) => value)",
        is: ["join", "leave", "send"])
      try browser.run(
        """
        const choice = document.querySelector('#case');
        choice.value = 'send';
        choice.dispatchEvent(new Event('change'));
        """)
      // The field contains the example of the selected case.
      try browser.expect(
        "return document.querySelector('#action').value",
        is: #"{"send":{"from":"Ada","text":"Hello!"}}"#)
      try browser.type(#"She said "no"."#, into: "return document.querySelector('#field-text')")
      try browser.expect(
        "return document.querySelector('#action').value",
        is: #"{"send":{"from":"Ada","text":"She said \"no\"."}}"#)
      try page.press("Send")
      try page.expectText(#"She said \"no\"."#, in: "#state")
      try page.expectNoComplaints()
    }

    @Test func `an example action retains all digits`() throws {
      try page.open()
      try browser.run(
        """
        const real = window.fetch;
        window.fetch = async (address, options) => {
          const response = await real(address, options);
          if (!String(address).endsWith('/v1/reactors/chat')) return response;
          const text = await response.text();
          return new Response(
            text.replace(/"exampleActions":\\[/, '$&{"join":1234567890123456789},'), response);
        };
        """)
      for session in [server.session(of: "chat"), room] {
        try browser.run("location.hash = arguments[0]", .string(page.address(of: session)))
        try page.expectText(#"'{"join":1234567890123456789}'"#, in: "#commands")
        try page.expectStatus("live")
      }
      try page.expectText("\"Ada\"", in: "#state")
      try page.expectNoComplaints()
    }

    @Test func `a composed number retains all digits`() throws {
      let session = server.session(of: "counter")
      try page.open(session)
      try browser.type("9223372036854775807", into: "return document.querySelector('#field-value')")
      try page.press("Send")
      try page.expectState(#"{"value":9223372036854775807}"#)
    }

    @Test func `the number of running effects is shown`() throws {
      let watch = server.session(of: "stopwatch")
      try page.open(watch)
      try page.expectText("Nothing runs.", in: "#effects")
      try page.press(#""start""#)
      try page.expectText("1 effect runs.", in: "#effects")
      try browser.expect("return document.querySelector('#progress').hidden", is: false)
      try page.press(#""stop""#)
      try page.expectText("Nothing runs.", in: "#effects")
    }

    @Test func `a running effect is listed with its action and can be cancelled`() throws {
      let watch = server.session(of: "stopwatch")
      try page.open(watch)
      try page.press(#""start""#)
      try page.expectText(#""start""#, in: "#running code")
      try browser.expect(
        "return document.querySelector('#running button').ariaLabel", is: #"Cancel: "start""#)
      try page.press("Cancel")
      try page.expectText("Nothing runs.", in: "#effects")
      try browser.expect("return document.querySelector('#running').hidden", is: true)
      #expect(try watch.effects() == [])
      try page.expectNoComplaints()
    }

    @Test func `the focus stays in the list after an effect was cancelled`() throws {
      try page.open(server.session(of: "stopwatch"))
      try page.press(#""start""#)
      try page.expectText(#""start""#, in: "#running code")
      try browser.run("document.querySelector('#running button').focus()")
      try browser.press(.enter)
      try page.expectText("Nothing runs.", in: "#effects")
      try browser.expect("return document.activeElement.id", is: "effects")
    }

    @Test func `charts show the activity of the service`() throws {
      let session = server.session(of: "counter")
      try page.open(session)
      for title in ["Actions", "Deliveries", "Subscribers", "Commit", "Memory"] {
        try page.expectText(title, in: "#charts")
      }
      _ = try eventually {
        try session.post(#""increase""#)
        return try browser.run(
          """
          const chart = document.querySelector('.chart');
          return /peak [^0]/.test(chart.textContent)
            && chart.querySelector('.line').getAttribute('d').includes('M')
          """) == true
      }
      try browser.expect(
        "return /peak [^0]/.test(document.querySelector('.chart').textContent)", is: true)
      try page.expectNoComplaints()
    }

    @Test func `a session ends after a confirmation`() throws {
      try page.open(room)
      // The button resets after 4 s.
      try browser.run(
        """
        const real = window.setTimeout;
        window.setTimeout = (action, pause, ...rest) =>
          pause === 4_000 ? 0 : real(action, pause, ...rest);
        """)
      try page.press("End session")
      try page.expectStatus("live")
      try page.press("End it for all clients?")
      try page.expectStatus("ended")
      #expect(try room.state().status == 410)
    }
  }
}
