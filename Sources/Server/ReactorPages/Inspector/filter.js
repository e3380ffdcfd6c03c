// Filters over the log: text in an action or a mutation, a principal, and a span of time.

import { stringify } from "../reactor.js";
import { describe, element, part } from "./elements.js";
import { read } from "./requests.js";

/** The number of entries per request, and the number of matches per search. */
const PAGE = 500;
const MATCHES = 50;

/** The matches below “Filter the log”. */
export class LogFilter {
  #session;
  #item;
  /** The version below which the next search continues. */
  #next = 0;
  /** The number of the latest search; the results of earlier ones are ignored. */
  #search = 0;

  /** @param item Creates the list item of a log entry. */
  constructor(item) {
    this.#item = item;
    part["filter-form"].addEventListener("submit", (event) => {
      event.preventDefault();
      this.#start();
    });
    part["filter-form"].addEventListener("reset", () => this.#clear());
    part["filter-more"].addEventListener("click", () => this.#continue());
  }

  open(session) {
    this.#session = session;
    part["filter-form"].reset();
  }

  close() {
    this.#session = undefined;
    this.#search += 1;
  }

  #clear() {
    this.#search += 1;
    part.matches.replaceChildren();
    part["filter-note"].textContent = "";
    part["filter-more"].hidden = true;
  }

  #start() {
    this.#clear();
    this.#next = this.#session.live.version;
    this.#continue();
  }

  /** Searches backwards until there are enough matches, or no older entries. */
  async #continue() {
    const search = this.#search += 1;
    const session = this.#session;
    const matches = this.#condition();
    const goal = part.matches.children.length + MATCHES;
    part["filter-more"].hidden = true;
    try {
      while (this.#next > 0 && part.matches.children.length < goal) {
        part["filter-note"].textContent = `Searching below version ${this.#next}…`;
        const after = Math.max(0, this.#next - PAGE);
        const entries = await this.#entries(session, after, this.#next);
        if (search !== this.#search) return;
        for (const entry of entries.reverse()) {
          if (matches(entry)) part.matches.append(this.#item(entry));
        }
        const oldest = entries.at(-1);
        const isTooOld = oldest && part["filter-from"].value
          && new Date(oldest.at) < new Date(part["filter-from"].value);
        // Retention removes the oldest entries.
        this.#next = entries.length === 0 || isTooOld ? 0 : after;
      }
    } catch (problem) {
      if (search === this.#search) part["filter-note"].replaceChildren(describe(problem));
      return;
    }
    const count = part.matches.children.length;
    part["filter-note"].textContent = `${count === 0 ? "No" : count} ${count === 1 ? "match" : "matches"}`
      + (this.#next > 0 ? ` from version ${this.#next + 1} on.` : ".");
    part["filter-more"].hidden = this.#next === 0;
  }

  /** The entries after a version up to another one. A response may contain only the first of them. */
  async #entries(session, after, last) {
    const entries = [];
    for (let from = after; from < last;) {
      const { value } = await read(`${session.address}/log?after=${from}&limit=${last - from}`);
      const page = value.filter(({ version }) => version <= last);
      if (page.length === 0) break;
      entries.push(...page);
      from = page.at(-1).version;
    }
    return entries;
  }

  /** Whether an entry matches the form. */
  #condition() {
    const text = part["filter-text"].value.trim().toLowerCase();
    const principal = part["filter-by"].value.trim();
    const from = new Date(part["filter-from"].value || 0);
    const to = new Date(part["filter-to"].value || 8.64e15);
    return (entry) => {
      const { at, version, by, ...rest } = entry;
      const time = new Date(at);
      return time >= from && time <= to && (principal === "" || by === principal)
        && stringify(rest).toLowerCase().includes(text);
    };
  }
}
