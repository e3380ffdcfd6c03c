// The log of a session as a timeline: any version can be looked at, compared with the one before,
// played from, and forked from.

import { parse, request, stringify } from "/reactor.js";
import { describe, element, part, shortened } from "./elements.js";

/** How many entries are listed at once. */
const LISTED = 50;

/** How many States that were looked at are kept. */
const KEPT = 100;

/** Versions a second while it plays. */
const RATE = 4;

const time = new Intl.DateTimeFormat("en", {
  hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hour12: false,
});

/** What a log entry did, in one line. */
function causeOf(entry) {
  if (entry.action !== null && entry.action !== undefined) return shortened(stringify(entry.action), 200);
  return entry.global ? `global ${entry.global}` : "–";
}

/** The section “Timeline”. */
export class Timeline {
  /** The version that is looked at; `undefined` while the latest is. */
  at;
  #session;
  #live = 0;
  #show;
  #fork;
  #states = new Map();
  #isLoading = false;
  #isListing = false;
  #listed = { first: 0, last: 0 };
  #player = 0;

  /**
   * @param show Is given `(before, state, version)` to show, or nothing to show the latest.
   * @param fork Is given a version to fork the session at.
   */
  constructor(show, fork) {
    this.#show = show;
    this.#fork = fork;
    part.scrubber.addEventListener("input", () => this.go(Number(part.scrubber.value)));
    part.earlier.addEventListener("click", () => this.go((this.at ?? this.#live) - 1));
    part.later.addEventListener("click", () => this.go((this.at ?? this.#live) + 1));
    part.latest.addEventListener("click", () => this.latest());
    part.play.addEventListener("click", () => this.#player ? this.#pause() : this.#play());
    part.fork.addEventListener("click", () => this.#fork(this.at ?? this.#live));
  }

  open(session) {
    this.#session = session;
    this.#live = 0;
    this.#states.clear();
    this.#listed = { first: 0, last: 0 };
    part.log.replaceChildren();
    part.moment.replaceChildren();
    this.latest();
  }

  close() {
    this.#pause();
    this.#session = undefined;
  }

  /** A version is the latest now. */
  advance(version) {
    const isNewHistory = version < this.#live;
    if (isNewHistory) this.open(this.#session);
    this.#live = version;
    part.scrubber.max = String(version);
    if (this.at === undefined) part.scrubber.value = String(version);
    this.#label();
    this.#list();
  }

  latest() {
    this.#pause();
    this.at = undefined;
    part.scrubber.value = part.scrubber.max;
    part.moment.replaceChildren();
    part["timeline-problem"].replaceChildren();
    this.#label();
    this.#mark();
    this.#show();
    this.#list();
  }

  /** Looks at a version. */
  go(version) {
    if (version >= this.#live && this.#player) this.#pause();
    this.at = Math.max(0, Math.min(version, this.#live));
    part.scrubber.value = String(this.at);
    this.#label();
    this.#load();
  }

  #label() {
    const isLive = this.at === undefined;
    part.scrubber.setAttribute(
      "aria-valuetext", isLive ? `version ${this.#live}, the latest` : `version ${this.at}`);
    part["timeline-version"].textContent =
      isLive ? `version ${this.#live}, live` : `version ${this.at} of ${this.#live}`;
    part.latest.disabled = isLive;
    part.earlier.disabled = (this.at ?? this.#live) === 0;
    part.later.disabled = isLive || this.at === this.#live;
    part.play.disabled = this.#live === 0;
    part.session.classList.toggle("past", !isLive);
  }

  // MARK: A moment

  /** Loads what is looked at; while one moment loads, only the last one asked for waits. */
  async #load() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const session = this.#session;
    let version;
    do {
      version = this.at;
      if (version === undefined) break;
      try {
        const [before, state, entries] = await Promise.all([
          version > 0 ? this.#state(version - 1) : undefined,
          this.#state(version),
          version > 0 ? this.#entries(version - 1, 1) : [],
        ]);
        if (session !== this.#session || this.at === undefined) break;
        part["timeline-problem"].replaceChildren();
        this.#show(before, state, version);
        this.#tell(version, entries[0]);
      } catch (problem) {
        if (session === this.#session) part["timeline-problem"].replaceChildren(describe(problem));
      }
    } while (session === this.#session && version !== this.at);
    this.#isLoading = false;
    this.#list();
  }

  async #state(version) {
    const known = this.#states.get(version);
    if (known !== undefined) return known;
    const response = await request(`${this.#session.address}/state?version=${version}`);
    const state = parse(await response.text());
    this.#states.set(version, state);
    if (this.#states.size > KEPT) this.#states.delete(this.#states.keys().next().value);
    return state;
  }

  async #entries(after, limit) {
    const response = await request(`${this.#session.address}/log?after=${after}&limit=${limit}`);
    return parse(await response.text());
  }

  #tell(version, entry) {
    part.moment.replaceChildren(...(entry
      ? [
        element("dt", {}, "Action"), element("dd", {}, element("code", {}, causeOf(entry))),
        element("dt", {}, "Mutation"),
        element("dd", {}, element("code", {}, shortened(stringify(entry.mutation), 400))),
        element("dt", {}, "Committed"), element("dd", {}, time.format(new Date(entry.at))),
      ]
      : [element("dt", {}, "Version 0"), element("dd", {}, "The initial State.")]));
  }

  // MARK: The list

  /** Lists the entries around what is looked at, the newest first. */
  async #list() {
    if (this.#isListing || !this.#session) return;
    const session = this.#session;
    const goal = this.at ?? this.#live;
    const isLive = this.at === undefined;
    const isListed = isLive ? this.#listed.last === goal
      : goal >= this.#listed.first && goal <= this.#listed.last;
    if (isListed || goal === 0) return this.#mark();
    this.#isListing = true;
    try {
      const follows = isLive && goal - this.#listed.last < LISTED && this.#listed.last > 0;
      const after = follows ? this.#listed.last
        : Math.max(0, goal - (isLive ? LISTED : LISTED / 2));
      const entries = await this.#entries(after, LISTED);
      if (session !== this.#session) return;
      if (!follows) part.log.replaceChildren();
      for (const entry of entries) part.log.prepend(this.#item(entry));
      while (part.log.children.length > LISTED) part.log.lastElementChild.remove();
      const versions = Array.from(part.log.children, (item) => Number(item.dataset.version));
      this.#listed = { first: versions.at(-1) ?? 0, last: versions[0] ?? 0 };
      this.#mark();
    } catch (problem) {
      if (session === this.#session) part["timeline-problem"].replaceChildren(describe(problem));
    } finally {
      // At most a few times a second, however fast the versions come.
      setTimeout(() => {
        this.#isListing = false;
        if (session === this.#session && this.at === undefined && this.#listed.last < this.#live) {
          this.#list();
        }
      }, 250);
    }
  }

  #item(entry) {
    const button = element(
      "button", { type: "button" },
      element("span", { class: "number" }, String(entry.version)),
      element("code", { class: "cause" }, causeOf(entry)),
      element("code", { class: "mutation" }, shortened(stringify(entry.mutation), 120)),
      element("time", {}, time.format(new Date(entry.at))));
    button.addEventListener("click", () => this.go(entry.version));
    return element("li", { "data-version": entry.version }, button);
  }

  #mark() {
    for (const item of part.log.children) {
      const isCurrent = Number(item.dataset.version) === this.at;
      if (isCurrent) item.firstElementChild.setAttribute("aria-current", "true");
      else item.firstElementChild.removeAttribute("aria-current");
      if (isCurrent) {
        // Only the list scrolls, never the page.
        const top = item.offsetTop - part.log.offsetTop;
        if (top < part.log.scrollTop || top > part.log.scrollTop + part.log.clientHeight - 40) {
          part.log.scrollTop = top - part.log.clientHeight / 2;
        }
      }
    }
  }

  // MARK: Playing

  #play() {
    if (this.at === undefined || this.at === this.#live) this.go(0);
    part.play.textContent = "Pause";
    this.#player = setInterval(() => {
      if (!this.#isLoading) this.go(this.at + 1);
    }, 1000 / RATE);
  }

  #pause() {
    clearInterval(this.#player);
    this.#player = 0;
    part.play.textContent = "Play";
  }
}
