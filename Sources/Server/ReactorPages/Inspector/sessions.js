// The sessions of the reactor that is open: searched, sorted, paged, and with live figures.

import { Problem, request } from "../reactor.js";
import { hashOf, SESSION_ID, SESSION_ID_RULE } from "./catalogue.js";
import { describe, element, part, versionOf } from "./elements.js";
import { showOwner } from "./nodes.js";
import { Refresh } from "./refresh.js";
import { content, read } from "./requests.js";

/** The number of sessions per request. */
const PAGE = 100;

/** The interval of updates, in milliseconds. */
const PERIOD = 3_000;

/** A time as its distance from now. */
function ago(text) {
  const seconds = Math.max(0, Math.round((Date.now() - new Date(text)) / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)} h ago` : `${Math.floor(seconds / 86_400)} d ago`;
}

/** The section “Sessions”. The service sorts and searches: any number of sessions is supported. */
export class Sessions {
  #session;
  #loaded = [];
  #next;
  #total;
  /** The number of the latest search; the results of earlier ones are ignored. */
  #search = 0;
  #updating = new Refresh(PERIOD / 4, () => this.#update());

  constructor() {
    part.refresh.addEventListener("click", () => this.load());
    part.more.addEventListener("click", () => this.load(this.#next));
    part["session-search"].addEventListener("input", () => this.load());
    part["session-form"].addEventListener("submit", (event) => {
      event.preventDefault();
      location.hash = hashOf(this.#session.reactor.name, part["session-id"].value);
      event.target.reset();
    });
    part["session-id"].addEventListener("input", ({ target }) => {
      const isValid = target.value === "" || SESSION_ID.test(target.value);
      target.setCustomValidity(isValid ? "" : SESSION_ID_RULE);
    });
    setInterval(() => document.hidden || this.#updating.request(), PERIOD);
  }

  open(session) {
    if (this.#session?.reactor !== session.reactor) {
      this.#loaded = [];
      part["session-search"].value = "";
      part.sessions.replaceChildren();
    }
    this.#session = session;
    showOwner();
    this.load();
  }

  close() {
    this.#session = undefined;
    this.#search += 1;
  }

  get #prefix() {
    return part["session-search"].value.trim();
  }

  /** The address of the first page. */
  get #address() {
    const query = new URLSearchParams({ limit: PAGE });
    if (this.#prefix) query.set("prefix", this.#prefix);
    return `v1/reactors/${encodeURIComponent(this.#session.reactor.name)}/sessions?${query}`;
  }

  /** Loads the first page of the search, or the next one. */
  async load(next) {
    if (!this.#session) return;
    const search = this.#search += 1;
    part["sessions-note"].textContent = next ? "Loading…" : "Searching…";
    try {
      const page = await read(next ?? this.#address);
      if (search !== this.#search) return;
      const { sessions, total } = page.value;
      this.#next = page.next;
      this.#total = total;
      const known = new Set(next ? this.#loaded.map(({ id }) => id) : []);
      this.#loaded = [...(next ? this.#loaded : []), ...sessions.filter(({ id }) => !known.has(id))];
      this.#show();
      this.#showOwner();
    } catch (problem) {
      if (search !== this.#search) return;
      part["sessions-note"].textContent = "";
      part.sessions.replaceChildren(element("li", {}, describe(problem)));
    }
  }

  /** Updates the figures of the first page, and its order unless that would move the focus. */
  async #update() {
    const search = this.#search;
    if (!this.#session || this.#loaded.length === 0) return;
    try {
      const { sessions, total } = (await content(await request(this.#address))).value;
      if (search !== this.#search) return;
      const isOnePage = this.#loaded.length <= PAGE && !part.sessions.contains(document.activeElement);
      const figures = new Map(sessions.map((session) => [session.id, session]));
      this.#loaded = isOnePage ? sessions : this.#loaded.map((one) => figures.get(one.id) ?? one);
      this.#total = total;
      if (isOnePage) this.#show();
      else this.#refresh(figures);
      this.#showOwner();
    } catch (problem) {
      // The connection's status shows the problem, and the next update tries again.
      if (!(problem instanceof Problem)) throw problem;
    }
  }

  /** Shows the owner of the open session, in a cluster. */
  async #showOwner() {
    const session = this.#session;
    let listed = this.#loaded.find(({ id }) => id === session.id);
    // Only a list of a cluster has nodes.
    if (!listed && this.#loaded.some(({ node }) => node !== undefined)) {
      try {
        const query = new URLSearchParams({ limit: 1, prefix: session.id });
        const response = await request(`v1/reactors/${encodeURIComponent(session.reactor.name)}/sessions?${query}`);
        const { sessions } = (await content(response)).value;
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
    const { id } = this.#session;
    // The open session is always listed first.
    const first = this.#loaded.find((other) => other.id === id) ?? (this.#prefix ? undefined : this.#session);
    const others = this.#loaded.filter((other) => other.id !== id);
    part.sessions.replaceChildren(...[first, ...others].filter(Boolean).map((one) => this.#item(one)));
    const count = this.#loaded.length.toLocaleString("en");
    const all = this.#total === undefined ? "" : ` of ${this.#total.toLocaleString("en")}`;
    part["sessions-note"].textContent = this.#next ? `The first ${count}${all}.`
      : this.#prefix ? `${count} found.` : "";
    part.more.hidden = !this.#next;
  }

  #refresh(figures) {
    for (const link of part.sessions.querySelectorAll("a")) {
      const session = figures.get(link.dataset.id);
      if (session) link.lastElementChild.replaceWith(this.#figures(session));
    }
  }

  #figures({ cursor, subscribers, effects, lastActiveAt, node }) {
    const version = cursor ? String(versionOf(cursor)) : "–";
    const figures = element("span", {}, "version ", element("span", { class: "version" }, version));
    if (subscribers !== undefined) figures.append(` · ${subscribers} watching`);
    if (effects > 0) figures.append(` · ${effects} ${effects === 1 ? "effect" : "effects"}`);
    if (node !== undefined) figures.append(` · at ${node}`);
    if (lastActiveAt) {
      figures.append(" · ", element("time", { datetime: lastActiveAt, title: lastActiveAt }, ago(lastActiveAt)));
    }
    return figures;
  }

  #item(session) {
    const link = element(
      "a", { href: hashOf(this.#session.reactor.name, session.id), "data-id": session.id },
      element("span", {}, session.id), this.#figures(session));
    if (session.id === this.#session.id) link.setAttribute("aria-current", "true");
    return element("li", {}, link);
  }
}
