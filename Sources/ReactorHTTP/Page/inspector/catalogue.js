// The reactors, and the sessions of the one that is open.

import { parse, request } from "/reactor.js";
import { describe, element, nextPage, part, versionOf } from "./elements.js";

export const SESSION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;
export const SESSION_ID_RULE =
  "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ - and neither . nor .. itself.";

/** The session that a reactor opens with. */
export const DEFAULT_SESSION = "demo";

/** Sends a request and reads the JSON of its answer. */
export async function read(path) {
  const response = await request(path);
  return { value: parse(await response.text()), next: nextPage(response) };
}

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

/** The section “Sessions”. */
export class Sessions {
  #session;

  constructor() {
    part.refresh.addEventListener("click", () => this.show());
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
    if (this.#session?.reactor !== session.reactor) part.sessions.replaceChildren();
    this.#session = session;
    this.show();
  }

  close() {
    this.#session = undefined;
  }

  /** Lists the sessions, from the beginning or the next page of them. */
  async show(next) {
    const session = this.#session;
    let page;
    try {
      page = await read(next ?? `v1/reactors/${encodeURIComponent(session.reactor.name)}/sessions?limit=20`);
    } catch (problem) {
      if (session === this.#session) part.sessions.replaceChildren(element("li", {}, describe(problem)));
      return;
    }
    if (session !== this.#session) return;
    const others = page.value.sessions.filter(({ id }) => id !== session.id);
    if (!next) {
      // The open one stands first, on whichever page of the list it is.
      const listed = page.value.sessions.find(({ id }) => id === session.id);
      part.sessions.replaceChildren(this.#item(listed ?? session));
    }
    part.sessions.append(...others.map((other) => this.#item(other)));
    part.more.hidden = !page.next;
    part.more.onclick = () => this.show(page.next);
  }

  /** The open session has a version now. */
  advance(version) {
    const listed = part.sessions.querySelector("[aria-current] .version");
    if (listed) listed.textContent = String(version);
  }

  #item({ id, cursor, subscribers }) {
    const link = element(
      "a", { href: hashOf(this.#session.reactor.name, id) },
      element("span", {}, id),
      element(
        "span", {},
        "version ", element("span", { class: "version" }, cursor ? String(versionOf(cursor)) : "–"),
        subscribers === undefined ? "" : ` · ${subscribers} watching`));
    if (id === this.#session.id) link.setAttribute("aria-current", "true");
    return element("li", {}, link);
  }
}
