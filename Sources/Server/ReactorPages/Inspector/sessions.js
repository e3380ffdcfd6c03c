// The sessions of all reactors, or of the one that is open: searched, sorted, counted, and with live figures.

import { items, Problem, request } from "../reactor.js";
import { hashOf, SESSION_ID, SESSION_ID_RULE } from "./catalogue.js";
import { describe, element, nextPage, part, versionOf } from "./elements.js";
import { showOwner } from "./nodes.js";
import { Refresh } from "./refresh.js";
import { content } from "./requests.js";

/** The number of sessions per request, which the service returns in the order of their ids. */
const PAGE = 1_000;

/** The number of sessions that are shown at first, and that “Show more” adds. */
const SHOWN = 100;

/** The intervals of updates, in milliseconds: with few sessions, and with many. */
const PERIODS = [3_000, 15_000];

/** A time as its distance from now. */
function ago(text) {
  const seconds = Math.max(0, Math.round((Date.now() - new Date(text)) / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`;
}

const byID = (one, other) => (one.key < other.key ? -1 : 1);
const by = (value) => (one, other) => value(other) - value(one) || byID(one, other);
const ORDERS = {
  latest: by(({ lastActiveAt }) => Date.parse(lastActiveAt ?? 0)),
  id: byID,
  version: by(({ cursor }) => (cursor ? versionOf(cursor) : 0)),
  subscribers: by(({ subscribers }) => subscribers ?? 0),
};

/** Reads a page of a reactor's sessions: the sessions, and the address of the next page if there is one. */
async function readPage(name, query) {
  const response = await request(
    query.next ?? `v1/reactors/${encodeURIComponent(name)}/sessions?${new URLSearchParams(query)}`);
  const { sessions } = (await content(response)).value;
  return {
    sessions: sessions.map((session) => ({ ...session, reactor: name, key: `${name}/${session.id}` })),
    next: nextPage(response),
  };
}

/** Reads the sessions of a reactor in pages, of which there are at most ten. */
export async function* pagesOf(name) {
  for (let count = 0, query = { limit: PAGE }; count < 10 && query; count += 1) {
    const { sessions, next } = await readPage(name, query);
    yield sessions;
    query = next && { next };
  }
}

/** The id of the session of a reactor that was active last, of the first 10,000; `undefined` without sessions. */
export async function latestSession(name) {
  let first = [];
  for await (const sessions of pagesOf(name)) first = [...first, ...sessions].sort(ORDERS.latest).slice(0, 1);
  return first[0]?.id;
}

/** The section “Sessions”. */
export class Sessions {
  /** The names of the reactors whose sessions are listed. */
  #names = [];
  /** The open session, if there is one. */
  #session;
  #loaded = [];
  /** The addresses of the next pages, by the name of the reactor. */
  #next = new Map();

  /** The names of the reactors of which more than the first page is loaded. @type {Set<string>} */
  #continued = new Set();
  #shown = SHOWN;
  /** The number of the latest search; the results of earlier ones are ignored. */
  #search = 0;
  #updating = new Refresh(PERIODS[0] / 4, () => this.#update());
  /** Shows sessions; the row of a session stays in the page, so that a reader keeps the place. */
  #draw = items(part.sessions, (sessions) => sessions, {
    key: ({ key }) => key,
    make: (session) => this.#row(session),
    update: (row, session) => row.firstElementChild.lastElementChild.replaceWith(this.#figures(session)),
  });

  constructor() {
    part.more.addEventListener("click", () => this.#showMore());
    part["session-search"].addEventListener("input", () => this.load());
    part["session-order"].addEventListener("change", () => this.#show());
    part["session-form"].addEventListener("submit", (event) => {
      event.preventDefault();
      location.hash = hashOf(this.#names[0], part["session-id"].value);
      event.target.reset();
    });
    part["session-id"].addEventListener("input", ({ target }) => {
      const isValid = target.value === "" || SESSION_ID.test(target.value);
      target.setCustomValidity(isValid ? "" : SESSION_ID_RULE);
    });
    let updated = Date.now();
    setInterval(() => {
      if (document.hidden || Date.now() - updated < PERIODS[this.#loaded.length > 2 * SHOWN ? 1 : 0]) return;
      updated = Date.now();
      this.#updating.request();
    }, PERIODS[0]);
  }

  /** Lists the sessions of reactors; the open session, if there is one, is marked and always first. */
  open(names, session) {
    part["session-form"].hidden = session === undefined;
    if (this.#names.join() !== names.join()) {
      this.#loaded = [];
      this.#continued.clear();
      this.#shown = SHOWN;
      part["session-search"].value = "";
      this.#draw([]);
    }
    this.#names = names;
    this.#session = session;
    showOwner();
    this.load();
  }

  /** Lists nothing. */
  close() {
    this.#names = [];
    this.#session = undefined;
    this.#search += 1;
  }

  get #prefix() {
    return part["session-search"].value.trim();
  }

  /** Reads the first page of each reactor; of several, those that can be read. */
  async #readFirst() {
    const query = this.#prefix ? { limit: PAGE, prefix: this.#prefix } : { limit: PAGE };
    const pages = await Promise.allSettled(this.#names.map((name) => readPage(name, query)));
    const read = pages.map(({ value }) => value);
    const [failure] = pages.filter(({ status }) => status === "rejected");
    if (failure && !read.some(Boolean)) throw failure.reason;
    return new Map(this.#names.map((name, index) => [name, read[index]]).filter(([, page]) => page));
  }

  /** Loads the first pages of the search. */
  async load() {
    if (this.#names.length === 0) return;
    const search = this.#search += 1;
    part["sessions-note"].textContent = "Searching…";
    try {
      const pages = await this.#readFirst();
      if (search !== this.#search) return;
      this.#loaded = [...pages.values()].flatMap(({ sessions }) => sessions);
      this.#next = new Map([...pages].flatMap(([name, { next }]) => (next ? [[name, next]] : [])));
      this.#continued.clear();
      this.#shown = SHOWN;
      part["sessions-problem"].replaceChildren();
      this.#show();
      this.#showOwner();
    } catch (problem) {
      if (search !== this.#search) return;
      part["sessions-note"].textContent = "";
      this.#draw([]);
      part["sessions-problem"].replaceChildren(describe(problem));
    }
  }

  /** Shows more of the loaded sessions, and loads the next pages when they are shown. */
  async #showMore() {
    this.#shown += SHOWN;
    const search = this.#search;
    if (this.#shown > this.#loaded.length && this.#next.size > 0) {
      try {
        const pages = await Promise.all(
          [...this.#next].map(async ([name, next]) => [name, await readPage(name, { next })]));
        if (search !== this.#search) return;
        const known = new Set(this.#loaded.map(({ key }) => key));
        for (const [name, { sessions, next }] of pages) {
          this.#continued.add(name);
          this.#loaded.push(...sessions.filter(({ key }) => !known.has(key)));
          if (next) this.#next.set(name, next);
          else this.#next.delete(name);
        }
      } catch (problem) {
        if (search === this.#search) part["sessions-problem"].replaceChildren(describe(problem));
      }
    }
    this.#show();
  }

  /** Updates the figures of the first pages, and the order. */
  async #update() {
    const search = this.#search;
    if (this.#names.length === 0) return;
    try {
      const pages = await this.#readFirst();
      if (search !== this.#search) return;
      const figures = new Map(
        [...pages.values()].flatMap(({ sessions }) => sessions).map((session) => [session.key, session]));
      // Sessions of later pages are not updated; on the first pages some may have been added or have ended.
      const later = this.#loaded.filter(
        ({ key, reactor }) => this.#continued.has(reactor) && !figures.has(key));
      this.#loaded = [...figures.values(), ...later];
      this.#show();
      this.#showOwner();
    } catch (problem) {
      // The connection's status shows the problem, and the next update tries again.
      if (!(problem instanceof Problem)) throw problem;
    }
  }

  /** Shows the owner of the open session, in a cluster. */
  async #showOwner() {
    const session = this.#session;
    if (!session) return;
    const { name } = session.reactor;
    let listed = this.#loaded.find(({ id }) => id === session.id);
    // Only a list of a cluster has nodes.
    if (!listed && this.#loaded.some(({ node }) => node !== undefined)) {
      try {
        const { sessions } = await readPage(name, { limit: 1, prefix: session.id });
        listed = sessions.find(({ id }) => id === session.id);
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
      }
    }
    if (session === this.#session) showOwner(listed?.node);
  }

  /** Sets the version of the open session. */
  advance(version) {
    const listed = part.sessions.querySelector("[aria-current] .version");
    if (listed) listed.textContent = String(version);
  }

  #show() {
    const open = this.#session;
    const sorted = [...this.#loaded].sort(ORDERS[part["session-order"].value]);
    const isOpen = ({ id }) => id === open?.id;
    // The open session is always listed first, even if it is not stored.
    const first = sorted.find(isOpen)
      ?? (open && !this.#prefix ? { id: open.id, reactor: open.reactor.name, key: `${open.reactor.name}/${open.id}` } : undefined);
    const listed = [first, ...sorted.filter((one) => !isOpen(one)).slice(0, this.#shown)].filter(Boolean);
    this.#draw(listed.map((one) => (one.lastActiveAt ? { ...one, age: ago(one.lastActiveAt) } : one)));
    for (const link of part.sessions.querySelectorAll("a")) {
      if (link.dataset.id === open?.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    const count = this.#loaded.length.toLocaleString("en");
    const isAll = this.#next.size === 0;
    part["sessions-note"].textContent = isAll
      ? `${count} ${this.#loaded.length === 1 ? "session" : "sessions"}`
      : `more than ${count}; of each reactor the first ${PAGE.toLocaleString("en")} are sorted, search for others`;
    part.more.hidden = isAll && this.#shown >= this.#loaded.length;
  }

  #figures({ cursor, subscribers, effects, lastActiveAt, age, node }) {
    const version = cursor ? String(versionOf(cursor)) : "–";
    const figures = element("span", {}, "version ", element("span", { class: "version" }, version));
    if (subscribers !== undefined) figures.append(` · ${subscribers} watching`);
    if (effects > 0) figures.append(` · ${effects} ${effects === 1 ? "effect" : "effects"}`);
    if (node !== undefined) figures.append(` · at ${node}`);
    if (lastActiveAt) {
      figures.append(" · ", element("time", { datetime: lastActiveAt, title: lastActiveAt }, age));
    }
    return figures;
  }

  #row(session) {
    const { reactor, id, key } = session;
    const name = this.#session ? [id] : [element("span", {}, `${reactor} / `), id];
    return element(
      "li", {}, element(
        "a", { href: hashOf(reactor, id), "data-id": id, "data-key": key },
        element("span", {}, ...name), element("span")));
  }
}
