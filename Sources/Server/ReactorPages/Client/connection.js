// The event stream that all tabs with one credential share.

import { address, compositeID, cursorIn } from "./cursors.js";
import { parse, patched } from "./json.js";
import { NONE, smallestCommon } from "./part.js";
import { StreamReader } from "./reader.js";
import { backOff, problemOf, request, settings } from "./requests.js";
import { forgetToken } from "./token.js";

/** How many sessions are checked at the same time after a rejected stream. */
const CHECKS = 4;

/** The problem for which a session cannot be read; `undefined` if it can. */
async function rejection(key) {
  const path = `${address(key)}/state`;
  try {
    await request(path, { method: "HEAD", cache: "no-store" });
  } catch {
    // A response to HEAD has no body with the reason.
    return request(path).then(() => undefined, (reason) => reason);
  }
}

/** The part of a session that contains those of all tabs. */
const selection = ({ tabs }) => [...tabs.values()].reduce(smallestCommon, NONE);

/**
 * Follows the sessions of many tabs over one event stream, stores their latest States and publishes
 * each change as a message.
 *
 * If the server rejects that many sessions, half of them move to a further connection.
 */
export class Connection {
  /**
   * The sessions by key, `counter/demo`: `{ tabs, select, held, notices, isReset }`. `tabs` has the part that each
   * tab shows, `select` the one that contains all of them, and `held` its value and cursor.
   */
  #sessions = new Map();
  /** The optional kinds of events that tabs have requested; retained until the connection closes. */
  #wanted = new Set(["activity"]);
  #publish;
  #status = "connecting";
  #isClosed = false;
  /** Aborts the current stream. @type {AbortController | undefined} */
  #stream;
  /** Whether the stream is to be replaced, for example because the sessions have changed. */
  #isStale = false;
  #refreshing = 0;
  /** The time of the last `expired` event. */
  #expiredAt = 0;
  #failures = 0;
  /** The shortest pause that the server has requested with the last stream (`Retry-After`), in seconds. */
  #retryAfter = 0;
  /** The number of sessions that the server accepts, if it is known. */
  #capacity = Infinity;
  /** The connection of the sessions that do not fit. @type {Connection | undefined} */
  #further;
  /** Ends the pause between two streams. */
  #proceed = () => {};
  /** The reconnection time that the server announced, in milliseconds. */
  #retry = 500;
  #reader = new StreamReader();

  constructor(publish) {
    this.#publish = publish;
    this.#run();
  }

  close() {
    this.#isClosed = true;
    this.#further?.close();
    this.wake();
    this.#stream?.abort();
  }

  /** Reconnects without further delay, if there is no live stream. */
  wake() {
    if (this.#reader.isSilent) this.#stream?.abort();
    this.#proceed();
    this.#further?.wake();
  }

  /** Whether a session is on this stream or on a further one. */
  has(key) {
    return this.#sessions.has(key) || !!this.#further?.has(key);
  }

  /**
   * Adds the sessions of a tab. `held` contains, by key, the State and the cursor that the tab has, or
   * `null`; `selects` the parts of those that it does not show as a whole; `wanted` the optional kinds of events.
   */
  join(tab, held, selects, wanted) {
    for (const kind of wanted) {
      if (!this.#wanted.has(kind)) this.#refresh();
      this.#wanted.add(kind);
    }
    this.#further?.join(tab, {}, {}, wanted);
    for (const [key, known] of Object.entries(held)) {
      let session = this.#sessions.get(key);
      const select = selects[key] ?? "";
      if (!session && (this.has(key) || this.#sessions.size >= this.#capacity)) {
        this.#further.join(tab, { [key]: known }, { [key]: select }, wanted);
        continue;
      }
      if (!session) {
        session = { tabs: new Map(), select, held: known, notices: {} };
        this.#sessions.set(key, session);
        this.#refresh();
      }
      session.tabs.set(tab, select);
      if (smallestCommon(session.select, select) !== session.select) this.#refresh();
      else this.#narrowLater(key);
      if (session.held?.cursor !== known?.cursor) {
        // The tab can have a later version, of the history that the server has lost.
        if (session.isReset && known) this.#publish({ kind: "reset", key });
        if (session.held) this.#publish({ kind: "state", key, select: session.select, ...session.held });
      }
      for (const [kind, value] of Object.entries(session.notices)) this.#publish({ kind, key, value });
    }
    this.#publish({ kind: "status", status: this.#status });
  }

  /** Removes sessions of a tab, all of them by default. */
  leave(tab, keys) {
    this.#further?.leave(tab, keys);
    for (const key of keys ?? this.#sessions.keys()) {
      const session = this.#sessions.get(key);
      if (!session?.tabs.delete(tab)) continue;
      if (session.tabs.size === 0) this.#sessions.delete(key);
      this.#narrowLater(key);
    }
  }

  /** Opens a stream without a session, or with a smaller part of it, unless a tab requests the same again. */
  #narrowLater(key) {
    const isWide = () => {
      const session = this.#sessions.get(key);
      return !session || selection(session) !== session.select;
    };
    // Wait: after a click on a link the next page often joins the same session.
    if (isWide()) setTimeout(() => isWide() && this.#refresh(), 2_000);
  }

  #setStatus(status, delay = 0) {
    if (status === this.#status && !delay) return;
    this.#status = status;
    this.#publish({ kind: "status", status, delay });
  }

  /** Opens a new stream for the current sessions. */
  #refresh() {
    if (this.#isStale) return;
    this.#isStale = true;
    // Wait: a page usually joins several sessions, one after the other.
    this.#refreshing = setTimeout(() => {
      this.#stream?.abort();
      this.#proceed();
    }, 10);
  }

  async #run() {
    while (!this.#isClosed) {
      clearTimeout(this.#refreshing);
      this.#isStale = false;
      if (this.#sessions.size > 0) await this.#follow();
      if (this.#isStale) continue;
      if (this.#isClosed) return;
      if (this.#sessions.size > 0) {
        const pause = this.#failures === 0
          ? Math.random() * this.#retry : backOff(this.#failures, this.#retry);
        const delay = Math.max(pause, this.#retryAfter * (1_000 + Math.random() * 100));
        this.#retryAfter = 0;
        this.#failures += 1;
        this.#setStatus("reconnecting", delay);
        setTimeout(() => this.#proceed(), delay);
      }
      await new Promise((resolve) => { this.#proceed = () => resolve(undefined); });
    }
  }

  /** Opens a stream and reads it to its end. */
  async #follow() {
    const stream = new AbortController();
    this.#stream = stream;
    const query = new URLSearchParams({ delta: "patch" });
    for (const kind of this.#wanted) query.set(kind, "true");
    if (settings.name) query.set("name", settings.name);
    for (const [key, session] of this.#sessions) {
      query.append("session", key);
      const select = selection(session);
      if (select !== session.select) Object.assign(session, { select, held: null });
    }
    const selects = [...this.#sessions.values()].map(({ select }) => select);
    if (selects.some(Boolean)) for (const select of selects) query.append("select", select);
    const resumed = compositeID(this.#sessions);
    if (resumed) query.set("last_event_id", resumed);
    try {
      const events = this.#reader.read(`v1/events?${query}`, stream, () => this.#refresh());
      for await (const event of events) {
        if (event.rejection) return await this.#reject(event.rejection);
        if (event.retry) this.#retry = event.retry;
        if (event.retry && event.data === undefined) continue;
        if (event.name === "draining") return;
        if (event.name === "expired") return this.#expired();
        this.#failures = 0;
        this.#setStatus("live");
        if (event.data !== undefined) this.#receive(event);
      }
    } catch {
      // The stream was broken or aborted: in both cases the next stream resumes it.
    }
  }

  /**
   * Handles an expired credential: resumes immediately with a new token, unless the previous one
   * expired less than a second ago.
   */
  #expired() {
    forgetToken();
    const now = Date.now();
    this.#isStale = !!settings.token && now - this.#expiredAt > 1_000;
    this.#expiredAt = now;
  }

  /** @param {import("./reader.js").ServerEvent} event */
  #receive({ name = "message", data, id }) {
    const value = parse(data);
    // The event of a whole State has the session's key as its name; other events have it in their data.
    const [key, inner, kind] =
      this.#sessions.has(name) ? [name, value, "state"] : [value.session, value.data, name];
    const session = this.#sessions.get(key);
    if (!session) return;
    const cursor = cursorIn(id ?? "", key);
    if (kind === "state") {
      session.held = { state: inner, cursor };
      this.#publish({ kind, key, select: session.select, ...session.held });
    } else if (kind === "patch") {
      const from = session.held?.cursor;
      try {
        session.held = { state: patched(session.held?.state, inner), cursor };
      } catch (error) {
        // The copy of the State is wrong: request the whole State.
        reportError(error);
        session.held = null;
        this.#refresh();
        return;
      }
      this.#publish({ kind, key, select: session.select, from, patch: inner, cursor });
    } else if (kind === "signal") {
      this.#publish({ kind, key, value: inner });
    } else if (this.#wanted.has(kind)) {
      session.notices[kind] = inner;
      this.#publish({ kind, key, value: inner });
    } else if (kind === "reset") {
      session.held = null;
      session.isReset = true;
      this.#publish({ kind, key });
    } else if (kind === "end") {
      this.#remove(key);
    }
  }

  /**
   * Handles the response to a rejected stream. If the server rejects the request, or responds with 204, ends
   * the sessions that cannot be read, so that the others continue, and otherwise divides or ends all of them.
   */
  async #reject(response) {
    const problem = await problemOf(response);
    const { status } = problem;
    this.#retryAfter = problem.retryAfter ?? 0;
    // Proxies limit the length of an address as well.
    const isTooLong = problem.members.parameter === "session" || [414, 431].includes(status);
    if (status !== 204 && (problem.isPassing ? !isTooLong : status >= 500)) return;
    const keys = [...this.#sessions.keys()];
    let isComplete = true;
    await Promise.all(Array.from({ length: CHECKS }, async () => {
      for (let key = keys.pop(); key; key = keys.pop()) {
        const reason = await rejection(key);
        if (!reason) continue;
        if (reason.isPassing) isComplete = false;
        else this.#remove(key, reason.members);
        this.#isStale ||= !reason.isPassing;
      }
    }));
    if (this.#isStale || !isComplete || status === 204) return;
    // Each session can be read.
    if (isTooLong && this.#sessions.size > 1) this.#divide();
    else if (problem.isForeign) return;
    else for (const key of this.#sessions.keys()) this.#remove(key, problem.members);
    this.#isStale = true;
  }

  /** Moves half of the sessions to the further connection. */
  #divide() {
    this.#capacity = Math.ceil(this.#sessions.size / 2);
    // All sessions have the status of this connection.
    this.#further ??= new Connection((message) => message.kind === "status" || this.#publish(message));
    for (const [key, { tabs, select, held }] of [...this.#sessions].slice(this.#capacity)) {
      this.#sessions.delete(key);
      for (const [tab, own] of tabs) {
        this.#further.join(tab, { [key]: own === select ? held : null }, { [key]: own }, this.#wanted);
      }
    }
  }

  #remove(key, problem) {
    this.#sessions.delete(key);
    this.#publish({ kind: "end", key, problem });
    if (this.#sessions.size === 0) this.#stream?.abort();
  }
}
