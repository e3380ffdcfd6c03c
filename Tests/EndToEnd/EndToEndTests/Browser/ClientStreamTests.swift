import Testing

extension ClientBrowserTests {
  /// `/reactor.js`: streams, layout passes and traits.
  struct ClientStreamTests {
    private let page: ClientPage
    private let browser: Browser

    init() throws {
      browser = try Browser()
      page = ClientPage(browser: browser, server: try ReactordProcess.shared.get())
      try page.open()
    }

    @Test func `withLatestFrom waits for the other stream and never emits by its values`() throws {
      #expect(
        try page.run(
          """
          const [clicks, text] = [new client.Value(), new client.Value()];
          const seen = [];
          const end = clicks.withLatestFrom(text).subscribe((pair) => seen.push(pair));
          clicks.set(1);
          text.set("a");
          text.set("b");
          clicks.set(2);
          clicks.set(3);
          end();
          clicks.set(4);
          return seen;
          """) == [[2, "b"], [3, "b"]])
    }

    @Test func `changes have the previous value and the new one`() throws {
      #expect(
        try page.run(
          """
          const values = new client.Value(1);
          const seen = [];
          values.distinct().changes().subscribe((change) => seen.push(change));
          for (const value of [1, 2, 2, 5]) values.set(value);
          return seen.map(({ old, new: value }) => [old ?? null, value]);
          """) == [[nil, 1], [1, 2], [2, 5]])
    }

    @Test func `layoutIfNeeded runs a requested pass immediately, and only once`() throws {
      #expect(
        try page.run(
          """
          let count = 0;
          const { setNeedsLayout, layoutIfNeeded } = client.layout(() => {
            count += 1;
            layoutIfNeeded();
          });
          layoutIfNeeded();
          const before = count;
          setNeedsLayout();
          layoutIfNeeded();
          layoutIfNeeded();
          const after = count;
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          return [before, after, count];
          """) == [0, 1, 1])
    }

    @Test func `a layout that requests itself is reported once and skipped`() throws {
      #expect(
        try page.run(
          """
          const errors = [];
          window.addEventListener("error", (event) => {
            event.preventDefault();
            errors.push(event.message);
          });
          let count = 0;
          const pass = client.layout(() => {
            count += 1;
            pass.setNeedsLayout();
          });
          const frames = async (number) => {
            for (let frame = 0; frame < number; frame += 1) await new Promise(requestAnimationFrame);
          };
          pass.setNeedsLayout();
          await frames(90);
          const first = [count, errors.length];
          // A request from elsewhere starts it again.
          pass.setNeedsLayout();
          await frames(90);
          return [first, [count, errors.length]];
          """) == [[60, 1], [120, 2]])
    }

    @Test func `an ended layout does not run, although it was requested`() throws {
      #expect(
        try page.run(
          """
          let count = 0;
          const pass = client.layout(() => { count += 1; });
          pass.setNeedsLayout();
          pass.end();
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          return count;
          """) == 0)
    }

    @Test func `the element of an item stays, with its focus and its draft`() throws {
      #expect(
        try page.run(
          """
          const list = document.body.appendChild(document.createElement("ul"));
          let [made, updated] = [0, 0];
          const show = client.items(list, ({ cards }) => cards, {
            key: ({ id }) => id,
            make() {
              made += 1;
              const card = document.createElement("li");
              card.append(document.createElement("b"), document.createElement("input"));
              return card;
            },
            update(card, { id, title }, index) {
              updated += 1;
              card.firstChild.textContent = `${title} ${index}`;
            },
          });
          const cards = (...ids) => show({ cards: ids.map((id) => ({ id, title: `card ${id}` })) });
          const shown = () => [...list.children].map((card) => card.textContent);
          cards(1, 2, 3);
          const second = list.children[1];
          const draft = second.lastChild;
          draft.focus();
          draft.value = "a draft";
          draft.setSelectionRange(2, 4);
          let blurred = 0;
          draft.addEventListener("blur", () => { blurred += 1; });
          cards(4, 3, 2, 1);
          const turned = [shown(), made, updated, blurred];
          cards(2);
          cards(5, 2, 6);
          return [
            turned, shown(), list.children[1] === second, document.activeElement === draft,
            draft.value, draft.selectionStart, blurred,
          ];
          """) == [
            [["card 4 0", "card 3 2", "card 2 1", "card 1 0"], 4, 4, 0],
            ["card 5 0", "card 2 1", "card 6 2"], true, true, "a draft", 2, 0,
          ])
    }

    @Test func `items with equal keys stay in their order, and an error omits one`()
      throws
    {
      #expect(
        try page.run(
          """
          const errors = [];
          window.addEventListener("error", (event) => {
            event.preventDefault();
            errors.push(event.message);
          });
          const list = document.body.appendChild(document.createElement("ul"));
          const show = client.items(list, (texts) => texts, {
            key: (text) => text,
            make(text) {
              if (text === "bad") throw new Error("bad");
              return Object.assign(document.createElement("li"), { textContent: text });
            },
          });
          show(["a", "a", "bad", "b"]);
          const first = [...list.children];
          show(["b", "a"]);
          const stayed = [...list.children].map((element) => first.indexOf(element));
          show([]);
          return [first.map((element) => element.textContent), stayed, list.children.length, errors.length];
          """) == [["a", "a", "b"], [2, 0], 0, 1])
    }

    private func resize(_ width: Int, _ height: Int) throws {
      try browser.development(
        "Emulation.setDeviceMetricsOverride",
        [
          "width": .number(Double(width)), "height": .number(Double(height)),
          "deviceScaleFactor": 1, "mobile": false,
        ])
    }

    @Test func `traits publish a new size class once, and preferences`() throws {
      try browser.emulate(.desk)
      try resize(1200, 900)
      try page.run(
        """
        window.traits = client.traits;
        window.widths = [];
        client.traits.map(({ width }) => width).subscribe((width) => widths.push(width));
        """)
      #expect(
        try page.run(
          "const { width, height, scheme, motion } = traits.value; return { width, height, scheme, motion }"
        )
          == ["width": "regular", "height": "regular", "scheme": "light", "motion": "reduced"])
      for width in [1100, 700, 400, 390] { try resize(width, 900) }
      try page.expect("traits.value.width", is: "compact")
      // The device was rotated.
      try resize(900, 390)
      try page.expect("[traits.value.width, traits.value.height]", is: ["regular", "compact"])
      #expect(
        try page.run("return widths.filter((width, i) => width !== widths[i - 1])")
          == ["regular", "compact", "regular"])
      try browser.emulate(.desk, isDark: true)
      try page.expect("traits.value.scheme", is: "dark")
      #expect(
        try page.run(
          "return [traits.value.safeArea, traits.value.textSize, typeof traits.value.language]")
          == [["top": 0, "right": 0, "bottom": 0, "left": 0], 16, "string"])
    }

    @Test func `traits have the insets of the safe area`() throws {
      try browser.development(
        "Emulation.setSafeAreaInsetsOverride",
        ["insets": ["top": 47, "right": 0, "bottom": 34, "left": 0]])
      try page.open()
      #expect(
        try page.run("return client.traits.value.safeArea")
          == ["top": 47, "right": 0, "bottom": 34, "left": 0])
    }
  }
}
