import Foundation
import Testing

extension ClientBrowserTests {
  /// `/reactor-react.js`, `/reactor-svelte.js` and `/reactor-vue.js`, with small frameworks that insist on the contracts
  /// of React, Svelte and Vue.
  struct BindingTests {
    let folder: TemporaryFolder
    let server: ReactordProcess
    let page: ClientPage
    let session: SessionClient

    init() throws {
      folder = try TemporaryFolder()
      for (name, text) in ["index.html": Self.html, "react.js": Self.react, "vue.js": Self.vue] {
        try text.write(toFile: folder[name], atomically: true, encoding: .utf8)
      }
      server = try ReactordProcess("--pages", folder.path)
      page = ClientPage(browser: try Browser(), server: server)
      session = server.session(of: "counter")
      try page.browser.open(server.url + "/")
    }

    private static let html = """
      <!doctype html>
      <title>Bindings</title>
      <script type="importmap">{ "imports": { "react": "/react.js", "vue": "/vue.js" } }</script>
      """

    /// `useMemo` and `useSyncExternalStore` for components that are functions: the snapshot is read twice, and mounted
    /// components are unmounted and mounted again, as in the strict mode.
    private static let react = """
      let current;
      export function useMemo(make, dependencies) {
        const index = current.index++;
        const known = current.memos[index];
        if (!known || known.dependencies.some((one, i) => !Object.is(one, dependencies[i]))) {
          current.memos[index] = { value: make(), dependencies };
        }
        return current.memos[index].value;
      }
      export function useSyncExternalStore(subscribe, read) {
        const value = read();
        if (!Object.is(value, read())) throw new Error("The result of getSnapshot should be cached");
        current.stores.push({ subscribe, read, value });
        return value;
      }
      export function mount(component) {
        const root = { index: 0, memos: [], stores: [], renders: 0, ends: new Map(), result: undefined };
        const changed = () => {
          if (root.stores.some(({ read, value }) => !Object.is(read(), value))) root.render();
        };
        root.render = () => {
          [root.index, root.stores, current] = [0, [], root];
          root.result = component();
          root.renders += 1;
          const wanted = new Set(root.stores.map(({ subscribe }) => subscribe));
          for (const [subscribe, end] of root.ends) {
            if (!wanted.has(subscribe)) { end(); root.ends.delete(subscribe); }
          }
          for (const subscribe of wanted) {
            if (!root.ends.has(subscribe)) root.ends.set(subscribe, subscribe(changed));
          }
        };
        root.unmount = () => {
          for (const end of root.ends.values()) end();
          root.ends.clear();
        };
        root.render();
        root.unmount();
        root.render();
        return root;
      }
      """

    private static let vue = """
      let scope;
      export function effectScope(setup) {
        const own = scope = [];
        const result = setup();
        scope = undefined;
        return { result, stop: () => own.splice(0).forEach((end) => end()) };
      }
      export function onScopeDispose(end) {
        if (!scope) throw new Error("onScopeDispose needs an active scope");
        scope.push(end);
      }
      export const shallowRef = (value) => ({ value, isRef: true });
      export const shallowReadonly = (target) => new Proxy(target, {
        set() { throw new Error("The target is readonly"); },
      });
      """

    @Test func `React renders after changes of what is selected, until the component is unmounted`()
      throws
    {
      try page.run(
        """
        const { mount } = await import("/react.js");
        const { useReactor, useValue } = await import("/reactor-react.js");
        window.session = reactor("counter", first);
        window.whole = mount(() => useReactor(session));
        // A new function with each render, which makes a new object with each call.
        window.parity = mount(() => useReactor(session, ({ value }) => ({ isOdd: value % 2 === 1 })));
        window.isLarge = mount(() => useReactor(session, ({ value }) => value > 4));
        window.link = mount(() => useValue(session.connection));
        """, .string(session.id))
      try page.expect("whole.result", is: ["value": 0])
      try page.expect("link.result", is: "live")
      #expect(try page.run("return whole.result === session.state.value") == true)
      let renders = try page.run("return isLarge.renders")
      try session.post(#""increase""#)
      try page.expect("[whole.result, parity.result]", is: [["value": 1], ["isOdd": true]])
      #expect(try page.run("return isLarge.renders") == renders)
      try page.run(
        "isLarge.unmount(); whole.unmount(); window.before = [isLarge, whole].map((it) => it.renders)"
      )
      try session.post(#"{"add":9}"#)
      try page.expect("parity.result", is: ["isOdd": false])
      #expect(
        try page.run("return [isLarge, whole].map((it, i) => it.renders === before[i])") == [
          true, true,
        ])
      #expect(try page.run("parity.render(); return parity.result") == ["isOdd": false])
    }

    @Test func `Svelte stores call at once, after each change, and not after the end`() throws {
      try page.run(
        """
        const { reactorStore, valueStore } = await import("/reactor-svelte.js");
        window.session = reactor("counter", first);
        window.store = reactorStore(session);
        window.seen = [];
        window.end = store.subscribe((state) => seen.push(state?.value ?? null));
        window.synchronous = seen.length;
        valueStore(session.connection).subscribe((status) => { window.status = status; });
        """, .string(session.id))
      try page.expect("[seen.at(-1), status]", is: [0, "live"])
      #expect(try page.run("return synchronous") == 1)
      #expect(try page.run("return await store.send({ add: 2 })") == ["value": 2])
      #expect(
        try page.run(
          """
          const late = [];
          // A subscriber that ends another one during a change.
          const endOther = store.subscribe(({ value }) => value === 3 && endLast());
          const endLast = store.subscribe(({ value }) => late.push(value));
          await store.send("increase");
          endOther();
          return late;
          """) == [2])
      try page.run("end()")
      try session.post(#""increase""#)
      try page.expect("session.state.value", is: ["value": 4])
      #expect(try page.run("return seen") == [nil, 0, 2, 3])
    }

    @Test func `a Vue reference follows the State until its scope ends`() throws {
      try page.run(
        """
        const { effectScope } = await import("/vue.js");
        const { useReactor, useValue } = await import("/reactor-vue.js");
        window.session = reactor("counter", first);
        window.scope = effectScope(() => [useReactor(session), useValue(session.connection)]);
        """, .string(session.id))
      try page.expect("scope.result.map(({ value }) => value)", is: [["value": 0], "live"])
      #expect(
        try page.run(
          "try { scope.result[0].value = 1; } catch ({ message }) { return message; }")
          == "The target is readonly")
      try session.post(#""increase""#)
      try page.expect("scope.result[0].value", is: ["value": 1])
      try page.run("scope.stop()")
      try session.post(#""increase""#)
      try page.expect("session.state.value", is: ["value": 2])
      #expect(try page.run("return scope.result[0].value") == ["value": 1])
    }

    @Test func `a State is removed when the right to read it has ended`() throws {
      let tokens = folder["tokens"]
      try "the-token-of-all-reactors admin\n".write(
        toFile: tokens, atomically: true, encoding: .utf8)
      let server = try ReactordProcess("--pages", folder.path, "--auth-tokens", tokens)
      let page = ClientPage(browser: page.browser, server: server)
      try page.browser.open(server.url + "/")
      try page.run(
        """
        const { mount } = await import("/react.js");
        const { useReactor } = await import("/reactor-react.js");
        const { reactorStore } = await import("/reactor-svelte.js");
        client.configure({ headers: { Authorization: "Bearer the-token-of-all-reactors" } });
        window.session = reactor("counter", "a");
        window.component = mount(() => useReactor(session, ({ value }) => value) ?? "none");
        reactorStore(session).subscribe((state) => { window.state = state ?? "none"; });
        """)
      try page.expect("[component.result, state.value]", is: [0, 0])
      try page.run("client.configure({ headers: { Authorization: 'Bearer another-0123456789' } })")
      try page.expect("[component.result, state]", is: ["none", "none"])
    }
  }
}
