// The client of flows for web pages, served as /flow.js beside /reactor.js:
//
//     import { reactor } from "/reactor.js";
//     import { flow } from "/flow.js";
//
//     const order = flow(reactor("order", "42"));
//     order.show(document.querySelector("main"), { menu(screen) { … return element; }, … });
//
// `make client` bundles these modules; the types are in /flow.d.ts.

import { Value } from "/reactor.js";
import { History } from "./history.js";
import { list } from "./screens.js";
import { Presenter } from "./presenter.js";

/** The client of one flow. @type {typeof import("../../flow").flow} */
export function flow(reactor, options = {}) {
  return new Flow(reactor, {
    stack: (state) => state.stack, action: (action) => ({ stack: action }), url: "hash",
    failed: (problem) => reportError(problem), ...options,
  });
}

/** @implements {Declared} */
class Flow {
  path = new Value();
  top = new Value();
  screens = new Value();

  #reactor;
  #options;
  /** The screens by key. */
  #known = new Map();
  /** The keys of screens whose dismissal is pending; they and the screens above are not displayed. */
  #leaving = new Set();
  #history;
  #presenter;
  #end;

  constructor(reactor, options) {
    this.#reactor = reactor;
    this.#options = options;
    this.#history = new History(options.url, {
      dismiss: (key) => this.#known.get(key)?.dismiss(),
      open: (path) => this.open(path),
    });
    let isNew = true;
    this.#end = reactor.state.subscribe(() => {
      if (isNew) this.#begin();
      else this.#update();
      isNew = false;
    });
  }

  /** Opens the path of the page's address, if it has one. */
  async #begin() {
    const path = this.#history.requested();
    try {
      if (path && path !== this.#stack?.path) await this.open(path);
    } finally {
      this.#update();
    }
  }

  get #stack() {
    return this.#options.stack(this.#reactor.state.value);
  }

  async open(path) {
    await this.#send(this.#options.action({ open: path }));
  }

  show(container, factories) {
    this.#presenter?.end();
    this.#presenter = new Presenter(container, factories);
    this.#presenter.show(this.screens.value ?? []);
  }

  close() {
    this.#end();
    this.#history.end();
    this.#presenter?.end();
  }

  /** Sends a navigation; a rejection goes to `failed`. */
  async #send(action) {
    try {
      await this.#reactor.send(action);
    } catch (problem) {
      this.#options.failed(problem);
    }
  }

  /** Hides a screen and those above until its dismissal has a response; a rejection shows them again. */
  async #dismiss(screen) {
    if (this.#leaving.has(screen.key)) return;
    this.#leaving.add(screen.key);
    this.#update();
    try {
      await this.#send(screen.dismissal);
    } finally {
      this.#leaving.delete(screen.key);
      this.#update();
    }
  }

  #update() {
    const stack = this.#stack;
    if (!stack) return;
    const found = list(stack, this.#options).map((entry) => {
      const screen = this.#known.get(entry.key)
        ?? entry.create(this.#reactor, (it) => this.#dismiss(it));
      screen.update(entry.state);
      return screen;
    });
    for (const [key, screen] of this.#known) if (!found.includes(screen)) screen.end();
    this.#known = new Map(found.map((screen) => [screen.key, screen]));
    const end = found.findIndex(({ key }) => this.#leaving.has(key));
    const shown = end < 0 ? found : found.slice(0, end);
    this.path.set(stack.path);
    this.screens.set(shown);
    this.top.set(shown.at(-1));
    this.#presenter?.show(shown);
    this.#history.show(shown.map(({ key }) => key), end < 0 ? stack.path : undefined);
  }
}

/** @typedef {import("../../flow").Flow} Declared */
