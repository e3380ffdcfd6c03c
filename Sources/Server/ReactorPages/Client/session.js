// A session: its State, with expected changes on top, and its actions.

import { address, cursorOf, hasReached, position } from "./cursors.js";
import { isEqual, parse, patched, stringify } from "./json.js";
import { BOUND, MEMORY, tooMany } from "./offline.js";
import {
  backOff, hasContent, lacksRight, Problem, problemOf, randomID, request, settings,
} from "./requests.js";
import { empty, idle, Stream, Value } from "./streams.js";

/** Whether a response is the server's to an action: with a cursor, and JSON or nothing. */
const isOutcome = ({ status, headers }) =>
  /^(W\/)?"[\w.~-]+-\d+([-+; ]+(gzip|br|zstd|deflate))*"$/.test(headers.get("ETag") ?? "")
  && (status === 200 ? hasContent({ headers }, "application/json") : [202, 204].includes(status));

/**
 * One session of a reactor, as this page knows it; created by `reactor(…)`.
 *
 * @implements {Declared}
 */
export class Reactor {
  state = new Value();
  connection = new Value("connecting");
  activity = new Value(idle);
  presence = /** @type {Value<import("../reactor").Presence>} */ (
    new Value(undefined, () => this.#tab.want("presence")));

  signals = new Stream((next) => {
    this.#listeners.add(next);
    this.#tab.want("signals");
    return () => this.#listeners.delete(next);
  });

  /** The last committed State and its cursor. @type {{ state: any, cursor: string } | undefined} */
  confirmed;

  /** @type {Problem | undefined} */
  problem;

  #tab;
  #listeners = new Set();
  /** Resolves when the next signal may be sent. */
  #signalled = /** @type {Promise<any>} */ (Promise.resolve());
  #pendingSignals = 0;
  #reduce;
  /** The pending actions that `state` shows, in the order of sending. */
  #optimistic = /** @type {any[]} */ ([]);
  /** The committed State that they are applied to: `confirmed`, unless that is held back. */
  #base;
  /** Whether the next State replaces the current one, although its version can be older. */
  #isReset = false;
  /** The sent actions without a response when `confirmed` arrived, which may or may not contain them. */
  #suspects = new Set();
  #hold = 0;
  #heldSince = 0;
  #roundTrip = 0;
  /** The `send`s that wait for the stream to reach a cursor. */
  #waiting = new Set();
  /** The actions without a final response, in the order of `send`. */
  #queue = /** @type {any[]} */ ([]);
  /** These actions, and those that are not in the queue yet. */
  #pending = new Set();
  /** The functions that end the pauses between two attempts. @type {Set<() => void>} */
  #pauses = new Set();

  /** @param {import("./tabs.js").Tab} tab */
  constructor(tab, name, session) {
    this.#tab = tab;
    this.name = name;
    this.session = session;
    this.key = `${name}/${session}`;
  }

  /** @param {{ reduce?: (state: any, action: any) => any }} options */
  use({ reduce }) {
    this.#reduce ??= reduce;
  }

  /** Shows the State that the previous page of this tab had, unless there is a newer one. */
  restore() {
    const known = this.confirmed || this.hasEnded ? null : this.#tab.restored(this.key);
    if (!known) return;
    this.confirmed = this.#base = known;
    this.#show();
  }

  get cursor() {
    return this.confirmed?.cursor ?? "";
  }

  get version() {
    return this.confirmed ? position(this.cursor).version : 0;
  }

  /** Whether an action has no final response. */
  get isSending() {
    return this.#pending.size > 0;
  }

  get hasEnded() {
    return this.connection.value === "ended";
  }

  close() {
    this.#tab.close(this.key);
    this.#end(new Problem({ title: "Closed by the page", status: 410 }));
  }

  async begin() {
    await request(address(this.key), { method: "PUT" });
    this.#restart();
    this.#tab.join(this);
  }

  /** Reopens a session that ended because the credential was rejected. */
  reopen() {
    if (this.hasEnded && lacksRight(this.problem)) this.#restart();
  }

  /** Shows that the stream is interrupted. */
  reconnect() {
    if (this.connection.value === "live") this.connection.set("reconnecting");
  }

  #restart() {
    this.confirmed = this.#base = this.problem = undefined;
    this.connection.set("connecting");
  }

  /**
   * Sends an action, or an array of them; see `/reactor.d.ts`.
   *
   * Actions are sent in order. A request without a response is sent again with the same
   * `Idempotency-Key`, so that it runs once.
   */
  async send(action, options = /** @type {import("../reactor").SendOptions<any>} */ ({})) {
    if (this.hasEnded) throw this.#ending();
    if (this.#pending.size >= BOUND) throw tooMany();
    const guess = options.optimistic !== undefined ? options.optimistic
      : this.#reduce && ((state) => this.#reduce(state, action));
    const { ifMatch, wait } = options;
    const record = { session: this.key, key: randomID(), body: stringify(action), ifMatch, wait };
    const entry = this.#expect(guess);
    this.#pending.add(entry);
    if (settings.offlineQueue) await this.#tab.entered;
    const { queue } = this.#tab;
    // The request does not wait for the storage of its own action.
    const stored = queue?.add(record);
    stored?.catch(reportError);
    entry.sent = () => stored?.then(() => queue.sent(record)).catch(() => {});
    try {
      await queue?.ready;
      const { signal, patience = queue ? MEMORY : 60_000 } = options;
      await this.#perform(entry, record, { signal, patience });
    } finally {
      this.#pending.delete(entry);
      stored?.then(() => queue.remove(record)).catch(() => {});
    }
    if (entry.cursor) await this.#reached(entry);
    return this.state.value;
  }

  /** Sends a stored action of a page that has ended. @param {import("./offline.js").Stored} record */
  async resend(record) {
    const { queue } = this.#tab;
    const action = parse(record.body);
    const patience = record.at === undefined ? MEMORY : record.at + MEMORY - Date.now();
    const entry = this.#expect((state) => this.#reduce ? this.#reduce(state, action) : state);
    entry.isRestored = true;
    this.#pending.add(entry);
    if (record.at === undefined) entry.sent = () => queue.sent(record).catch(() => {});
    try {
      if (patience <= 0) throw new Problem({ title: "There was no response in time", status: 0 });
      await this.#perform(entry, record, { patience });
    } catch (problem) {
      reportError(problem);
    }
    this.#pending.delete(entry);
    await queue?.remove(record).catch(reportError);
  }

  #expect(guess) {
    const entry = {
      guess, cursor: "", view: /** @type {any} */ (undefined), isSent: false, isPassable: false, isRestored: false, proceed: () => {},
      sent: () => {}, cancelled: new AbortController(),
    };
    if (guess) {
      this.#optimistic.push(entry);
      this.#show();
    }
    return entry;
  }

  /** Returns a function that rejects the actions that are pending now, because the page has another user. */
  cancellation() {
    const pending = [...this.#pending];
    return () => {
      const problem = new Problem({ title: "The page has another user", status: 401 });
      for (const { cancelled } of pending) cancelled.abort(problem);
      this.wake();
    };
  }

  async #perform(entry, record, options) {
    try {
      const response = await this.#post(entry, record, options);
      entry.cursor = cursorOf(response.headers.get("ETag") ?? "");
      // A projected session sends no event for an action that does not change the view.
      const text = await response.text().catch(() => "");
      if (text) entry.view = parse(text);
    } finally {
      // Rejected, or without a cursor: remove it now. Otherwise it is removed at its cursor.
      if (!entry.cursor) this.#optimistic = this.#optimistic.filter((other) => other !== entry);
      this.#update();
    }
  }

  async signal(value) {
    if (this.#pendingSignals >= 16) {
      throw new Problem({ title: "Too many signals wait for the server", status: 429 });
    }
    this.#pendingSignals += 1;
    const name = settings.name ? `?name=${encodeURIComponent(settings.name)}` : "";
    const post = () => request(`${address(this.key)}/signals${name}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: stringify(value),
    });
    const sent = this.#signalled.then(post).finally(() => { this.#pendingSignals -= 1; });
    this.#signalled = sent.catch(() => {});
    await sent;
  }

  /**
   * Repeats a request until there is a final response.
   *
   * Each attempt waits until every earlier action has a final response, or a request that has been under
   * way for 250 ms. An earlier action that pauses between two attempts is sent first.
   */
  async #post(entry, { body, ifMatch, wait, key }, { patience, signal: ended = undefined }) {
    // @ts-ignore: `any` is newer than the type library.
    const signal = AbortSignal.any([ended, entry.cancelled.signal].filter(Boolean));
    const longest = Math.max(30, (wait ?? 0) + 10);
    const headers = {
      "Content-Type": "application/json",
      "Idempotency-Key": key,
      Prefer: `return=minimal${wait === undefined ? "" : `, wait=${wait}`}`,
      ...(ifMatch && { "If-Match": `"${cursorOf(ifMatch)}"` }),
    };
    let deadline = Date.now() + patience;
    // The actions of an earlier page precede those that wait.
    const waiting = entry.isRestored ? this.#queue.findIndex((other) => !other.isRestored && !other.isSent) : -1;
    this.#queue.splice(waiting < 0 ? this.#queue.length : waiting, 0, entry);
    try {
      for (let failures = 0; ; failures += 1) {
        while (this.#next !== entry) await new Promise((resolve) => { entry.proceed = resolve; });
        // After this time the request has probably arrived: its effect must not delay the next one.
        const timer = setTimeout(() => {
          entry.isPassable = true;
          this.#next?.proceed();
        }, 250);
        const start = performance.now();
        if (!entry.isSent) entry.sent();
        entry.isSent = true;
        try {
          const response = await request(
            `${address(this.key)}/actions`, { method: "POST", headers, body, signal }, longest);
          if (!isOutcome(response)) throw await problemOf(response);
          const duration = performance.now() - start;
          this.#roundTrip = ((this.#roundTrip || duration) + duration) / 2;
          return response;
        } catch (problem) {
          const delay = Math.max(backOff(failures), (problem.retryAfter ?? 0) * 1000);
          // The time in which the action runs does not count.
          deadline += Math.min(performance.now() - start, (wait ?? 0) * 1_000);
          if (problem.members?.type === "/problems/action-running") deadline = Date.now() + patience;
          if (!problem.isPassing || Date.now() + delay > deadline) throw problem;
          clearTimeout(timer);
          entry.isPassable = false;
          await this.#pause(delay);
          signal.throwIfAborted();
        }
      }
    } finally {
      this.#queue = this.#queue.filter((other) => other !== entry);
      this.#next?.proceed();
    }
  }

  #pause(milliseconds) {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#pauses.delete(end);
        resolve(undefined);
      };
      const timer = setTimeout(end, milliseconds);
      this.#pauses.add(end);
    });
  }

  /** Ends the pauses between two attempts to send an action: the server can be reached again. */
  wake() {
    for (const end of this.#pauses) end();
  }

  /** The action that may be sent next, or whose request the following ones wait for. */
  get #next() {
    return this.#queue.find(({ isPassable }) => !isPassable);
  }

  /** Waits until the stream has reached a cursor or continues with another epoch, at most 30 s. */
  #reached({ cursor, view }) {
    if (this.hasEnded) throw this.#ending();
    if (this.#base && (hasReached(this.#base.cursor, cursor) || this.#shows(view))) return;
    return new Promise((resolve, reject) => {
      const waiting = { cursor, view, resolve, reject };
      this.#waiting.add(waiting);
      setTimeout(() => this.#waiting.delete(waiting) && resolve(undefined), 30_000);
    });
  }

  /** Whether the State is the view in the response to an action. */
  #shows(view) {
    return view !== undefined && isEqual(view, this.#base.state);
  }

  /** Applies a message of the connection. Returns `false` if an earlier patch is missing. */
  receive({ kind, status, select, state, cursor, from, patch, value, problem }) {
    // Other tabs, or parts of this page, show a part of the session; a stream with the whole State follows.
    if (select) return true;
    if (kind === "status") {
      if (status === "live" && this.connection.value !== "live") this.wake();
      // A session that joins another connection is connecting already.
      const isKnown = status === "connecting" && this.connection.value === status;
      if (!this.hasEnded && !isKnown) this.connection.set(status);
    } else if (kind === "activity" || kind === "presence") {
      this[kind].set(value);
    } else if (kind === "signal") {
      for (const next of [...this.#listeners]) next(value);
    } else if (kind === "reset") {
      this.#isReset = true;
      // The server has lost the commits of these cursors: the next State is not before them.
      for (const goal of [...this.#optimistic, ...this.#waiting]) goal.cursor &&= "-";
    } else if (kind === "state") {
      // A tab that begins to lead can have an older State than this tab.
      if (this.#isReset || !this.confirmed || !hasReached(this.cursor, cursor)) {
        this.#isReset = false;
        this.#confirm(state, cursor);
      }
    } else if (kind === "patch") {
      if (cursor === this.cursor) return true;
      if (from !== this.cursor) return false;
      this.#confirm(patched(this.confirmed.state, patch), cursor);
    } else if (kind === "end") {
      this.#end(problem && new Problem(problem));
    }
    return true;
  }

  #confirm(state, cursor) {
    this.confirmed = { state, cursor };
    this.#suspects = new Set(
      this.#optimistic.filter((entry) => entry.isSent && !entry.cursor));
    this.#update();
  }

  #end(problem) {
    this.problem = problem;
    // The credential that read the State is no longer valid, or is another one now.
    if (lacksRight(problem)) {
      this.confirmed = this.#base = undefined;
      this.state.clear();
    }
    this.connection.set("ended");
    this.activity.set(idle);
    if (this.presence.value) this.presence.set(empty);
    for (const { reject } of this.#waiting) reject(this.#ending());
    this.#waiting.clear();
  }

  /** The reason for which `send` fails after the end. */
  #ending() {
    return this.problem ?? new Problem(
      { type: "/problems/session-ended", title: "The session was deleted", status: 410 });
  }

  /**
   * Shows the confirmed State. If optimistic actions were pending when it arrived, waits for their
   * responses first: only these show whether the State contains the actions.
   */
  #update() {
    for (const entry of this.#suspects) {
      if (!entry.cursor && this.#optimistic.includes(entry)) continue;
      this.#suspects.delete(entry);
      // A response has arrived: restart the timeout for the remaining ones.
      clearTimeout(this.#hold);
      this.#hold = 0;
    }
    if (this.#suspects.size === 0) return this.#advance();
    this.#heldSince ||= performance.now();
    const patience = Math.max(1_000, this.#roundTrip * 3);
    const rest = this.#heldSince + 5_000 - performance.now();
    this.#hold ||= setTimeout(() => this.#advance(), Math.min(patience, rest));
  }

  #advance() {
    clearTimeout(this.#hold);
    this.#hold = this.#heldSince = 0;
    this.#suspects.clear();
    this.#base = this.confirmed;
    if (!this.#base) return;
    const { cursor } = this.#base;
    const { epoch } = position(cursor);
    // A cursor of another epoch is never reached, so it does not count as ahead.
    const isAhead = ({ cursor: goal, view }) =>
      position(goal).epoch === epoch && !hasReached(cursor, goal) && !this.#shows(view);
    this.#optimistic = this.#optimistic.filter((entry) => !entry.cursor || isAhead(entry));
    this.#show();
    for (const waiting of this.#waiting) {
      if (isAhead(waiting)) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
  }

  #show() {
    if (!this.#base) return;
    const expected = this.#optimistic.reduce((state, { guess }) => {
      try {
        return guess(state);
      } catch (error) {
        reportError(error);
        return state;
      }
    }, this.#base.state);
    if (expected !== this.state.value) this.state.set(expected);
  }
}

/** @typedef {import("../reactor").Reactor} Declared */
