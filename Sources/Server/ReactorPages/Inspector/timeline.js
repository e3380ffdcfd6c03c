// The log of a session as a timeline: each version can be shown, compared, played and forked.

import { stringify } from "../reactor.js";
import { describe, element, part, shortened } from "./elements.js";
import { LogFilter } from "./filter.js";
import { read } from "./requests.js";

/** The maximum number of listed entries. */
const LISTED = 50;

/** The maximum number of characters in the JSON of the cached States. */
const CACHED = 4_000_000;

/** Versions per second while playing. */
const RATE = 4;

const date = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const time = new Intl.DateTimeFormat("en", {
  hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23",
});

/** The time of an entry, with its date in the title. */
const timeOf = ({ at }) =>
  element("time", { datetime: at, title: date.format(new Date(at)) }, time.format(new Date(at)));

/** The cause of a log entry and its principal, in one line. */
const causeOf = (entry) => (entry.by ? `${actionOf(entry)} by ${entry.by}` : actionOf(entry));

function actionOf(entry) {
  if (entry.action !== null && entry.action !== undefined) return shortened(stringify(entry.action), 200);
  return entry.global ? `global ${entry.global}` : "–";
}

/** Past States of a history by their versions; the oldest ones are removed first. */
class StateCache {
  #entries = new Map();
  #length = 0;

  /** The State of a version as `{ value, length }`. */
  get(version) {
    return this.#entries.get(version);
  }

  add(version, entry) {
    if (this.#entries.has(version)) return;
    this.#entries.set(version, entry);
    this.#length += entry.length;
    for (const [oldest, { length }] of this.#entries) {
      if (this.#length <= CACHED || oldest === version) return;
      this.#entries.delete(oldest);
      this.#length -= length;
    }
  }
}

/** The section “Timeline”. */
export class Timeline {
  /** The version that is shown; `undefined` for the latest. */
  at;
  /** The version that it is compared with; `undefined` for the previous one. */
  #base;
  #filter;
  #session;
  #live = 0;
  #show;
  #fork;
  /** The States of the history that is open. */
  #states = new StateCache();
  #isLoading = false;
  #isListing = false;
  #listed = { first: 0, last: 0 };
  #player = 0;
  /** The problem of a client that may read the States and not the log, which is not requested again. */
  #hidden;

  /**
   * @param show Shows `(before, state, version, base)`, or without arguments the latest State.
   * @param fork Forks the session at a version.
   */
  constructor(show, fork) {
    this.#show = show;
    this.#fork = fork;
    part.scrubber.addEventListener("input", () => this.go(Number(part.scrubber.value)));
    part.earlier.addEventListener("click", () => this.go((this.at ?? this.#live) - 1));
    part.later.addEventListener("click", () => this.go((this.at ?? this.#live) + 1));
    part.latest.addEventListener("click", () => this.latest());
    part.play.addEventListener("click", () => this.#player ? this.#pause() : this.#play());
    part.base.addEventListener("input", () => this.#setBase());
    this.#filter = new LogFilter((entry) => this.#item(entry));
    part.fork.addEventListener("click", () => this.#fork(this.at ?? this.#live));
  }

  open(session) {
    this.#session = session;
    this.#live = 0;
    this.#states = new StateCache();
    this.#listed = { first: 0, last: 0 };
    this.#hidden = undefined;
    part.log.replaceChildren();
    part.moment.replaceChildren();
    this.#filter.open(session);
    this.latest();
  }

  close() {
    this.#pause();
    this.#filter.close();
    this.#session = undefined;
  }

  /** Sets the latest version. */
  advance(version) {
    const isNewHistory = version < this.#live;
    if (isNewHistory) this.open(this.#session);
    this.#live = version;
    part.scrubber.max = part.base.max = String(version);
    if (this.at === undefined) part.scrubber.value = String(version);
    this.#label();
    this.#list();
  }

  latest() {
    this.#pause();
    this.at = this.#base = undefined;
    part.base.value = "";
    part.scrubber.value = part.scrubber.max;
    part.moment.replaceChildren();
    this.#report();
    this.#label();
    this.#mark();
    this.#show();
    this.#list();
  }

  /** Shows a version. */
  go(version) {
    if (version >= this.#live && this.#player) this.#pause();
    this.at = Math.max(0, Math.min(version, this.#live));
    part.scrubber.value = String(this.at);
    this.#label();
    this.#load();
  }

  /** Compares with the version in the field “Compare with”. */
  #setBase() {
    const base = part.base.valueAsNumber;
    this.#base = part.base.validity.valid && !Number.isNaN(base) ? base : undefined;
    this.go(this.at ?? this.#live);
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

  /** Loads the version that is shown. Selections during a request are coalesced to the latest one. */
  async #load() {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      for (let isShown = false; this.#session && this.at !== undefined && !isShown;) {
        const [states, version, base] = [this.#states, this.at, this.#base];
        await this.#loadMoment(states, version, base);
        isShown = states === this.#states && version === this.at && base === this.#base;
      }
    } finally {
      this.#isLoading = false;
    }
    this.#list();
  }

  /** Loads a version and shows it, unless another history was opened. */
  async #loadMoment(states, version, base) {
    const session = this.#session;
    const compared = base ?? version - 1;
    try {
      const [before, state, entries] = await Promise.all([
        compared >= 0 ? this.#state(session, states, compared) : undefined,
        this.#state(session, states, version),
        version > 0 ? this.#entries(session, version - 1, 1) : [],
      ]);
      if (states !== this.#states || !this.#session || this.at === undefined) return;
      this.#report();
      this.#show(before, state, version, base);
      this.#describe(version, entries[0]);
    } catch (problem) {
      if (session === this.#session) part["timeline-problem"].replaceChildren(describe(problem));
    }
  }

  async #state({ address }, states, version) {
    let known = states.get(version);
    if (!known) {
      known = await read(`${address}/state?version=${version}`);
      states.add(version, known);
    }
    return known.value;
  }

  /** The entries after a version; none if only the States may be read. */
  async #entries(session, after, limit) {
    if (this.#hidden) return [];
    try {
      return (await read(`${session.address}/log?after=${after}&limit=${limit}`)).value;
    } catch (problem) {
      if (problem.status !== 403 || session !== this.#session) throw problem;
      this.#hidden = problem;
      this.#report();
      return [];
    }
  }

  /** Shows the problem of the log, or removes that of an earlier request. */
  #report() {
    part["timeline-problem"].replaceChildren(...(this.#hidden ? [describe(this.#hidden)] : []));
  }

  #describe(version, entry) {
    const compared = this.#base === undefined ? []
      : [element("dt", {}, "Compared"), element("dd", {}, `with version ${this.#base}`)];
    part.moment.replaceChildren(...compared, ...(entry
      ? [
        element("dt", {}, "Action"), element("dd", {}, element("code", {}, causeOf(entry))),
        element("dt", {}, "Mutation"),
        element("dd", {}, element("code", {}, shortened(stringify(entry.mutation), 400))),
        element("dt", {}, "Committed"),
        element("dd", {}, `${date.format(new Date(entry.at))}, `, timeOf(entry)),
      ]
      : version > 0 ? [element("dt", {}, "Action"), element("dd", {}, "The log may not be read.")]
      : [element("dt", {}, "Version 0"), element("dd", {}, "The initial State.")]));
  }

  // MARK: The list

  /** Lists the entries around the version that is shown, the newest first. */
  async #list() {
    if (this.#isListing || !this.#session || this.#hidden) return;
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
      const entries = await this.#entries(session, after, LISTED);
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
      // At most four requests per second, however many versions are published.
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
      timeOf(entry));
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
