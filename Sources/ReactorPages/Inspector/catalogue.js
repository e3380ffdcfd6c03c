// The reactors, and the sessions of the one that is open.

import { describe, element, part, versionOf } from "./elements.js";
import { read } from "./requests.js";

export const SESSION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;
export const SESSION_ID_RULE =
  "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ - and neither . nor .. itself.";

/** The session that a reactor opens with. */
export const DEFAULT_SESSION = "demo";

/** The address of a session in the hash. */
export const hashOf = (name, id) => `#/${encodeURIComponent(name)}/${id}`;

/** Lists the reactors. */
export function showReactors(reactors) {
  part.reactors.replaceChildren(...reactors.map(({ name, summary }) =>
    element(
      "li", {},
      element(
        "a", { href: hashOf(name, DEFAULT_SESSION) },
        element("strong", {}, name), element("span", {}, summary)))));
}

/** How many sessions are requested at once. */
const PAGE = 100;

/** The orders of the list, by the values of the selection. */
const ORDERS = {
  id: (one, other) => (one.id < other.id ? -1 : 1),
  active: (one, other) => (one.lastActiveAt < other.lastActiveAt ? 1 : -1),
  version: (one, other) => versionOf(other.cursor) - versionOf(one.cursor),
  subscribers: (one, other) => other.subscribers - one.subscribers,
};

/** The greatest id before all ids with a prefix; `undefined` if there is none. */
function before(prefix) {
  const alphabet = "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~";
  const index = alphabet.indexOf(prefix.at(-1));
  const shorter = prefix.slice(0, -1);
  return index > 0 ? (shorter + alphabet[index - 1]).padEnd(128, "~") : shorter || undefined;
}

/**
 * The section “Sessions”: pages in the order of the ids, searched by the beginning of the id. The
 * other orders apply to the loaded sessions.
 */
export class Sessions {
  #session;
  #loaded = [];
  #next;
  /** Cancels a request when another one starts. */
  #search = 0;

  constructor() {
    part.refresh.addEventListener("click", () => this.load());
    part.more.addEventListener("click", () => this.load(this.#next));
    part["session-search"].addEventListener("input", () => this.load());
    part["session-order"].addEventListener("change", () => this.#show());
    part["session-form"].addEventListener("submit", (event) => {
      event.preventDefault();
      location.hash = hashOf(this.#session.reactor.name, part["session-id"].value);
      event.target.reset();
    });
    part["session-id"].addEventListener("input", ({ target }) => {
      const isValid = target.value === "" || SESSION_ID.test(target.value);
      target.setCustomValidity(isValid ? "" : SESSION_ID_RULE);
    });
  }

  open(session) {
    if (this.#session?.reactor !== session.reactor) {
      this.#loaded = [];
      part["session-search"].value = "";
      part.sessions.replaceChildren();
    }
    this.#session = session;
    this.load();
  }

  close() {
    this.#session = undefined;
    this.#search += 1;
  }

  /** Loads the first page of the search, or the next one. */
  async load(next) {
    const session = this.#session;
    if (!session) return;
    const search = this.#search += 1;
    const prefix = part["session-search"].value.trim();
    const start = prefix ? before(prefix) : undefined;
    const query = new URLSearchParams({ limit: PAGE, ...(start && { after: start }) });
    try {
      const page = await read(
        next ?? `v1/reactors/${encodeURIComponent(session.reactor.name)}/sessions?${query}`);
      if (search !== this.#search) return;
      const found = page.value.sessions.filter(({ id }) => id.startsWith(prefix));
      this.#next = found.length === page.value.sessions.length ? page.next : undefined;
      this.#loaded = next ? [...this.#loaded, ...found] : found;
      this.#show();
    } catch (problem) {
      if (search === this.#search) part.sessions.replaceChildren(element("li", {}, describe(problem)));
    }
  }

  /** Sets the version of the open session. */
  advance(version) {
    const listed = part.sessions.querySelector("[aria-current] .version");
    if (listed) listed.textContent = String(version);
  }

  #show() {
    const { id } = this.#session;
    const sorted = this.#loaded.toSorted(ORDERS[part["session-order"].value]);
    const isListed = sorted.some((other) => other.id === id);
    // The open session is first, on whichever page of the list it is.
    const others = sorted.filter((other) => other.id !== id);
    const first = isListed ? sorted.find((other) => other.id === id)
      : part["session-search"].value.trim() ? undefined : this.#session;
    part.sessions.replaceChildren(...[first, ...others].filter(Boolean).map((one) => this.#item(one)));
    const count = this.#loaded.length.toLocaleString("en");
    part["sessions-note"].textContent = this.#next ? `The first ${count}. The order applies to these.`
      : part["session-search"].value.trim() ? `${count} found.` : "";
    part.more.hidden = !this.#next;
  }

  #item({ id, cursor, subscribers, lastActiveAt }) {
    const version = cursor ? String(versionOf(cursor)) : "–";
    const link = element(
      "a", { href: hashOf(this.#session.reactor.name, id) },
      element("span", {}, id),
      element(
        "span", {}, "version ", element("span", { class: "version" }, version),
        subscribers === undefined ? "" : ` · ${subscribers} watching`));
    if (lastActiveAt) link.title = `Last active at ${lastActiveAt}`;
    if (id === this.#session.id) link.setAttribute("aria-current", "true");
    return element("li", {}, link);
  }
}
