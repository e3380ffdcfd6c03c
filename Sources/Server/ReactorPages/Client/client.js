// The client of reactord for web pages, served as /reactor.js:
//
//     import { on, reactor } from "/reactor.js";
//
//     const counter = reactor("counter", "demo");
//     counter.state.subscribe(console.log);
//     await counter.send({ add: 2 });
//
// All sessions of a page, and all tabs with the same credential, share one connection. It reconnects
// and resumes by itself. `make client` bundles these modules; the types are in /reactor.d.ts.

import { NONE } from "./part.js";
import { scope, settings } from "./requests.js";
import { Reactor } from "./session.js";
import { forgetStates, Tab } from "./tabs.js";
import { forgetToken } from "./token.js";

export { changes } from "./changes.js";
export { indicator, on, property } from "./controls.js";
export { parse, patched, stringify } from "./json.js";
export { items } from "./items.js";
export { layout } from "./layout.js";
export { Problem, request } from "./requests.js";
export { sessionID } from "./ids.js";
export { Stream, Value } from "./streams.js";
export { traits } from "./traits.js";

/** @type {Tab | undefined} */
let tab;

/**
 * Changes how the server is reached. Open sessions continue with the new settings.
 *
 * @type {typeof import("../reactor").configure}
 */
export function configure(changes) {
  const former = scope();
  Object.assign(settings, changes);
  if (!tab && scope() !== former) forgetStates(former);
  if ("token" in changes || "user" in changes) forgetToken();
  tab?.reconfigure();
}

const create = (tab, key) => new Reactor(tab, .../** @type {[string, string]} */ (key.split("/")));

/** A session of a reactor; the same object for every call. */
export function reactor(name, session, options = {}) {
  tab ??= new Tab(create);
  return tab.open(`${name}/${session}`, options);
}

/**
 * A part of a session; the same object for every call.
 *
 * @type {typeof import("../reactor").part}
 */
export function part(name, session, select = NONE) {
  if (select !== NONE && !/^(\/([^~]|~[01])*)?$/.test(select)) {
    throw new TypeError(`A JSON Pointer is empty or begins with "/": ${select}`);
  }
  tab ??= new Tab(create);
  return tab.openPart(`${name}/${session}`, select);
}
