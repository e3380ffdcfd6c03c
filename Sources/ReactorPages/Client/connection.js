// The event stream that all tabs with one credential share.

import { address, compositeID, cursorIn } from "./cursors.js";
import { parse, patched } from "./json.js";
import { authorizedFetch, backOff, request, settings } from "./requests.js";
import { forgetToken, timeToRenewal } from "./token.js";

/** @typedef {{ name?: string, data?: string, id?: string, retry?: number }} ServerEvent */

/**
 * Reads server-sent events; yields `{}` for a comment.
 *
 * @returns {AsyncGenerator<ServerEvent>}
 */
async function* serverSentEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let event = /** @type {ServerEvent} */ ({});
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const line of lines) {
      const [, name, field] = /^([^:]*):? ?(.*?)\r?$/s.exec(line) ?? [];
      if (name === "event") event.name = field;
      else if (name === "data") event.data = event.data === undefined ? field : `${event.data}\n${field}`;
      else if (name === "id") event.id = field;
      else if (name === "retry") event.retry = Number(field);
      else if (name === "" && line.startsWith(":")) yield {};
      else if (line === "" || line === "\r") {
        yield event;
        event = {};
      }
    }
  }
}

/**
 * Follows the sessions of many tabs over one event stream, stores their latest States and publishes
 * each change as a message.
 */
export class Connection {
  /** The sessions by key, `counter/demo`: `{ tabs, held, notices, isReset }`. */
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
  /** Ends the pause between two streams. */
  #proceed = () => {};
  /** The reconnection time that the server announced, in milliseconds. */
  #retry = 500;
  /** The milliseconds without a byte after which a stream is considered dead: three heartbeats. */
  #patience = 45_000;
  #lastByte = Date.now();

  constructor(publish) {
    this.#publish = publish;
    this.#run();
  }

  close() {
    this.#isClosed = true;
    this.wake();
    this.#stream?.abort();
  }

  /** Reconnects without further delay, if there is no live stream. */
  wake() {
    // Timers do not run while a machine sleeps: the stream can be dead before the watchdog is due.
    if (Date.now() - this.#lastByte > this.#patience) this.#stream?.abort();
    this.#proceed();
  }

  /**
   * Adds the sessions of a tab. `held` contains, by key, the State and the cursor that the tab has, or
   * `null`; `wanted` contains the optional kinds of events.
   */
  join(tab, held, wanted) {
    for (const kind of wanted) {
      if (!this.#wanted.has(kind)) this.#refresh();
      this.#wanted.add(kind);
    }
    for (const [key, known] of Object.entries(held)) {
      let session = this.#sessions.get(key);
      if (!session) {
        session = { tabs: new Set(), held: known, notices: {} };
        this.#sessions.set(key, session);
        this.#refresh();
      }
      session.tabs.add(tab);
      if (session.held?.cursor !== known?.cursor) {
        // The tab can have a later version, of the history that the server has lost.
        if (session.isReset && known) this.#publish({ kind: "reset", key });
        if (session.held) this.#publish({ kind: "state", key, ...session.held });
      }
      for (const [kind, value] of Object.entries(session.notices)) this.#publish({ kind, key, value });
    }
    this.#publish({ kind: "status", status: this.#status });
  }

  /** Removes sessions of a tab, all of them by default. */
  leave(tab, keys = [...this.#sessions.keys()]) {
    for (const key of keys) {
      const session = this.#sessions.get(key);
      if (!session?.tabs.delete(tab) || session.tabs.size > 0) continue;
      this.#sessions.delete(key);
      // Wait: after a click on a link the next page often joins the same session.
      setTimeout(() => this.#sessions.has(key) || this.#refresh(), 2_000);
    }
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
        const delay = this.#failures === 0
          ? Math.random() * this.#retry : backOff(this.#failures, this.#retry);
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
    for (const key of this.#sessions.keys()) query.append("session", key);
    const resumed = compositeID(this.#sessions);
    if (resumed) query.set("last_event_id", resumed);
    let watchdog, renewal;
    const feedWatchdog = () => {
      this.#lastByte = Date.now();
      clearTimeout(watchdog);
      watchdog = setTimeout(() => stream.abort(), this.#patience);
    };
    try {
      feedWatchdog();
      const response = await authorizedFetch(`v1/events?${query}`, {
        headers: { Accept: "text/event-stream", ...settings.headers },
        cache: "no-store",
        signal: stream.signal,
      });
      if (response.status !== 200 || !response.body) return await this.#removeRejected(response);
      // Before the token expires, a stream with a new token replaces this one.
      const rest = await timeToRenewal();
      if (rest < 2 ** 31) renewal = setTimeout(() => this.#refresh(), Math.max(rest, 1_000));
      const heartbeat = Number(response.headers.get("Heartbeat-Interval"));
      if (heartbeat > 0) this.#patience = Math.max(heartbeat * 3, 15) * 1_000;
      for await (const event of serverSentEvents(response.body)) {
        feedWatchdog();
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
    } finally {
      clearTimeout(watchdog);
      clearTimeout(renewal);
      stream.abort();
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

  /** @param {ServerEvent} event */
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
      this.#publish({ kind, key, ...session.held });
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
      this.#publish({ kind, key, from, patch: inner, cursor });
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

  /** Removes the sessions for which the server rejected the stream, so that the others continue. */
  async #removeRejected(response) {
    const members = await response.json().catch(() => ({}));
    await Promise.all([...this.#sessions.keys()].map(async (key) => {
      try {
        (await request(`${address(key)}/state`, { cache: "no-store" })).body?.cancel();
      } catch (problem) {
        if (problem.isPassing) return;
        this.#remove(key, problem.members);
        this.#isStale = true;
      }
    }));
    if (this.#isStale || members.parameter !== "session") return;
    // Each session is valid, so there are too many for one stream: remove the last one.
    this.#remove([...this.#sessions.keys()].pop(), members);
    this.#isStale = true;
  }

  #remove(key, problem) {
    this.#sessions.delete(key);
    this.#publish({ kind: "end", key, problem });
    if (this.#sessions.size === 0) this.#stream?.abort();
  }
}
