// @ts-check
// The client of reactord for pages: a session's State as a stream of values, and actions that are
// safe to repeat.
//
//     import { on, reactor } from "/reactor.js";
//
//     const counter = reactor("counter", "demo");
//     counter.state.subscribe(console.log);
//     await counter.send({ add: 2 });
//
// All sessions of a page, and all tabs of a browser, share one connection. It comes back by itself
// and goes on where it broke off. The types are in /reactor.d.ts; those of a reactor's actions and
// State in /v1/reactors/{reactor}/types.ts.

/** Where the server is, and how it is spoken to; see `configure`. */
const settings = {
  base: new URL(".", import.meta.url).href,
  headers: /** @type {Record<string, string>} */ ({}),
  isShared: true,
};

/**
 * Changes how the server is reached, before the first `reactor(…)`.
 *
 * @param {{ base?: string, headers?: Record<string, string>, isShared?: boolean }} changes
 *   `base` is the folder that `v1/` is in, `headers` go with every request (an `Authorization`),
 *   and with `isShared: false` the page keeps a connection of its own.
 */
export function configure(changes) {
  Object.assign(settings, changes);
}

// MARK: Streams

/** Whether two values are the same JSON. */
function isEqual(one, other) {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const names = Object.keys(one);
  return Array.isArray(one) === Array.isArray(other)
    && names.length === Object.keys(other).length
    && names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name]));
}

/**
 * Values over time. A stream does nothing until it is subscribed to.
 *
 * An error that an operator throws is told to `driver`, if there is one further on, and else to
 * `reportError`; unlike in Rx it does not end the stream.
 */
export class Stream {
  #connect;

  /** @param connect Is given `next` and `fail`, and returns the function that ends it. */
  constructor(connect) {
    this.#connect = connect;
  }

  /** Calls a function with each value, until the function that is returned is called. */
  subscribe(next, fail = reportError) {
    return this.#connect((value) => {
      try {
        next(value);
      } catch (error) {
        reportError(error);
      }
    }, fail);
  }

  map(transform) {
    return new Stream((next, fail) => this.#each((value) => next(transform(value)), fail));
  }

  filter(isWanted) {
    return new Stream((next, fail) => this.#each((value) => isWanted(value) && next(value), fail));
  }

  /** Leaves out a value that equals the one before it. */
  distinct(isSame = isEqual) {
    return new Stream((next, fail) => {
      let last;
      return this.#each((value) => {
        if (last && isSame(last[0], value)) return;
        last = [value];
        next(value);
      }, fail);
    });
  }

  /** Waits until no other value came for so many milliseconds. */
  debounce(milliseconds) {
    return this.#timed(milliseconds, true);
  }

  /** Lets the first value through, and then at most one in so many milliseconds: the latest. */
  throttle(milliseconds) {
    return this.#timed(milliseconds, false);
  }

  /** A stream that never fails: in place of an error comes a value, or what is made of the error. */
  driver(fallback) {
    return new Stream((next) =>
      this.subscribe(next, (error) =>
        next(typeof fallback === "function" ? fallback(error) : fallback)));
  }

  /**
   * Shows each value: `drive(element, "textContent")`, or `drive((value) => …)`.
   *
   * It happens in the layout pass of the next frame, with the latest value only.
   */
  drive(target, name) {
    const draw = name === undefined ? target : (value) => { target[name] = value; };
    let latest;
    const pass = layout(() => draw(latest));
    const end = this.subscribe((value) => {
      latest = value;
      pass.setNeedsLayout();
    });
    return () => {
      end();
      pass.end();
    };
  }

  /** Sends each value to a reactor as an action; what goes wrong is told to `failed`. */
  to(reactor, failed = reportError) {
    return this.subscribe((action) => { reactor.send(action).catch(failed); });
  }

  #each(next, fail) {
    return this.#connect((value) => {
      try {
        next(value);
      } catch (error) {
        fail(error);
      }
    }, fail);
  }

  #timed(milliseconds, isPostponed) {
    return new Stream((next, fail) => {
      let timer;
      let waiting;
      const pass = () => {
        timer = undefined;
        if (!waiting) return;
        const [value] = waiting;
        waiting = undefined;
        if (!isPostponed) timer = setTimeout(pass, milliseconds);
        next(value);
      };
      const end = this.#each((value) => {
        waiting = [value];
        if (isPostponed) clearTimeout(timer);
        if (!isPostponed && timer === undefined) return pass();
        if (isPostponed || timer === undefined) timer = setTimeout(pass, milliseconds);
      }, fail);
      return () => {
        clearTimeout(timer);
        end();
      };
    });
  }
}

/** A stream with a current value, which every subscriber gets first; none while it is `undefined`. */
export class Value extends Stream {
  #value;
  #observers;

  constructor(value) {
    const observers = new Set();
    super((next) => {
      const observer = { next };
      observers.add(observer);
      if (this.#value !== undefined) next(this.#value);
      return () => observers.delete(observer);
    });
    this.#observers = observers;
    this.#value = value;
  }

  get value() {
    return this.#value;
  }

  set(value) {
    this.#value = value;
    for (const { next } of [...this.#observers]) next(value);
  }
}

// MARK: Layout

const layouts = new Set();
let frame = 0;

/**
 * Registers a function that brings a part of the page up to date.
 *
 * However often and in whatever order `setNeedsLayout()` of several is called, they run once, in one
 * pass before the next frame is drawn, in the order in which they were registered. What a pass itself
 * changes is for the next one.
 */
export function layout(draw) {
  const entry = { draw, isNeeded: false };
  layouts.add(entry);
  return {
    setNeedsLayout() {
      entry.isNeeded = true;
      frame ||= requestAnimationFrame(layoutPass);
    },
    end: () => void layouts.delete(entry),
  };
}

function layoutPass() {
  frame = 0;
  const needed = [...layouts].filter(({ isNeeded }) => isNeeded);
  for (const entry of needed) entry.isNeeded = false;
  for (const { draw } of needed) {
    try {
      draw();
    } catch (error) {
      reportError(error);
    }
  }
}

// MARK: Controls

/** A control event: what happens to an element, such as `on(button, "click")`. */
export function on(element, type) {
  return new Stream((next) => {
    element.addEventListener(type, next);
    return () => element.removeEventListener(type, next);
  });
}

/** A control property: what an element holds, as the user changes it. */
export function property(element, name = "value", type = "input") {
  const values = new Stream((next) => {
    next(element[name]);
    return on(element, type).subscribe(() => next(element[name]));
  });
  return Object.assign(values, {
    /**
     * Binds both ways: what the user enters becomes an action, and what the State says is shown.
     *
     * While the user's latest change is on its way, the State does not overwrite it.
     *
     * @param reactor The reactor.
     * @param ways `value(state)` and `action(value)`; `throttle`, in milliseconds, for what is typed.
     */
    bind(reactor, ways, failed = reportError) {
      let changes = 0;
      let shown;
      const show = layout(() => {
        if (changes === 0 && element[name] !== shown) element[name] = shown;
      });
      const ends = [
        on(element, type).subscribe(() => { changes += 1; }),
        on(element, type).map(() => element[name]).throttle(ways.throttle ?? 0)
          .subscribe(async (value) => {
            const sent = changes;
            try {
              await reactor.send(ways.action(value));
            } catch (error) {
              failed(error);
            }
            if (changes === sent) changes = 0;
            show.setNeedsLayout();
          }),
        reactor.state.map(ways.value).subscribe((value) => {
          shown = value;
          show.setNeedsLayout();
        }),
        show.end,
      ];
      return () => ends.forEach((end) => end());
    },
  });
}

/**
 * Shows activity: `chat.activity.drive(indicator(element))`.
 *
 * The element is hidden while nothing runs; a `<progress>` shows how far it is, where that is known.
 */
export function indicator(element) {
  return ({ running, progress }) => {
    element.hidden = running === 0;
    if (!("position" in element)) return;
    if (progress === null) element.removeAttribute("value");
    else element.value = progress;
  };
}

// MARK: JSON

/** Reads JSON; an integer of more than 53 bits becomes a `BigInt` where the browser can tell. */
export function parse(text) {
  return /\d{16}/.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

function exactly(_name, value, context) {
  const isRounded = typeof value === "number" && !Number.isSafeInteger(value);
  return isRounded && /^-?\d+$/.test(context?.source) ? BigInt(context.source) : value;
}

/** Writes JSON, a `BigInt` with all its digits. */
export function stringify(value) {
  return JSON.stringify(value, (_name, inner) =>
    // @ts-ignore: newer than the types
    typeof inner === "bigint" ? JSON.rawJSON?.(String(inner)) ?? Number(inner) : inner);
}

/**
 * Applies a JSON Patch (RFC 6902) and gives the new document; what did not change is shared with the
 * old one, which stays as it is.
 */
export function patched(document, operations) {
  const copies = new WeakSet();
  const root = { "": document };
  copies.add(root);

  /** A place that is there. */
  const existing = (parent, name) => {
    const isThere = typeof parent === "object" && parent && Object.hasOwn(parent, name)
      && (!Array.isArray(parent) || /^\d+$/.test(name));
    if (!isThere) throw new RangeError(`No such place: ${name}`);
    return parent[name];
  };
  /** The names on the way to a place: of the document first, which is a member of the root. */
  const way = (path) =>
    path.split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const read = (path) => way(path).reduce(existing, root);
  /** The parent of a place, in the copy, and the place's name there. */
  const open = (path) => {
    const names = way(path);
    const last = names.pop();
    let parent = root;
    for (const name of names) {
      let child = existing(parent, name);
      if (typeof child !== "object" || !child) throw new RangeError(`No such place: ${path}`);
      if (!copies.has(child)) {
        child = Array.isArray(child) ? child.slice() : { ...child };
        copies.add(child);
        put(parent, name, child);
      }
      parent = child;
    }
    if (typeof parent !== "object" || !parent) throw new RangeError(`No such place: ${path}`);
    return [parent, last];
  };
  // A name such as "__proto__" is a name like any other.
  const put = (parent, name, value) =>
    Object.defineProperty(
      parent, name, { value, writable: true, enumerable: true, configurable: true });
  const add = (path, value) => {
    const [parent, name] = open(path);
    if (!Array.isArray(parent)) return put(parent, name, value);
    const index = name === "-" ? parent.length : Number(name);
    const isIndex = name === "-" || String(index) === name;
    if (!isIndex || !(index >= 0 && index <= parent.length)) {
      throw new RangeError(`No such place: ${path}`);
    }
    parent.splice(index, 0, value);
  };
  const remove = (path) => {
    const [parent, name] = open(path);
    existing(parent, name);
    if (Array.isArray(parent)) parent.splice(Number(name), 1);
    else delete parent[name];
  };

  for (const { op, path, from, value } of operations) {
    if (value === undefined && ["add", "replace", "test"].includes(op)) {
      throw new TypeError(`The operation at ${path} has no value.`);
    }
    if (op === "add") add(path, value);
    else if (op === "remove") remove(path);
    else if (op === "replace") {
      const [parent, name] = open(path);
      existing(parent, name);
      put(parent, name, value);
    } else if (op === "copy") add(path, structuredClone(read(from)));
    else if (op === "move") {
      const moved = read(from);
      remove(from);
      add(path, moved);
    } else if (op !== "test" || !isEqual(read(path), value)) {
      throw new RangeError(`The patch does not fit at ${path}.`);
    }
  }
  return root[""];
}

// MARK: Requests

/** An error as the server tells it (RFC 9457), or in its place one of the way to the server. */
export class Problem extends Error {
  /** @param {{ title: string, status?: number, type?: string, detail?: string }} members */
  constructor(members) {
    super(members.detail ? `${members.title}. ${members.detail}` : members.title);
    this.name = "Problem";
    this.members = members;
    this.status = members.status ?? 0;
  }

  /** Whether the same request may well succeed later. */
  get isPassing() {
    const { type } = this.members;
    // The reactor's own refusal, with whatever status, is the answer.
    return type !== "/problems/effect-failed"
      && ([0, 408, 425, 429, 502, 503, 504].includes(this.status) || type === "/problems/action-running");
  }
}

/** Sends a request to a path such as `v1/reactors`; throws a `Problem` unless it succeeds. */
export async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(new URL(path, settings.base), {
      ...options,
      headers: { Accept: "application/json", ...settings.headers, ...options.headers },
      signal: AbortSignal.any(
        [AbortSignal.timeout(30_000), ...(options.signal ? [options.signal] : [])]),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem({
      title: "The server did not answer",
      detail: options.method && options.method !== "GET"
        ? "Whether it took the request is not known."
        : "Is it running, and can it be reached from here?",
    });
  }
  if (response.ok) return response;
  const told = await response.json().catch(() => ({}));
  const problem =
    new Problem({ title: `The server answered ${response.status}`, ...told, status: response.status });
  // @ts-ignore
  problem.retryAfter = Number(response.headers.get("Retry-After")) || undefined;
  throw problem;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Back-off with jitter: clients of a server that went away do not come back all at once. */
const backOff = (failures, first = 500) =>
  Math.min(first * 2 ** failures, 20_000) * (0.5 + Math.random() / 2);

/** 128 random bits; `crypto.randomUUID` is only there where the page came over HTTPS. */
const randomID = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"))
    .join("");

/** Where a cursor, `{epoch}-{version}`, stands in its history. */
function position(cursor) {
  const dash = cursor.lastIndexOf("-");
  return { epoch: cursor.slice(0, dash), version: Number(cursor.slice(dash + 1)) };
}

/** Whether one cursor is of the same history as another, and not before it. */
function hasReached(cursor, goal) {
  const [one, other] = [position(cursor), position(goal)];
  return one.epoch === other.epoch && one.version >= other.version;
}

/** Reads server-sent events: `{ name, data, id }`, and whatever else keeps a stream alive as `{}`. */
async function* serverSentEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let event = {};
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

// MARK: The connection

/**
 * One connection for the sessions of many tabs: it reads their events, keeps their latest States, and
 * publishes what is new as messages.
 */
class Hub {
  /** By key, `counter/demo`: the tabs that want the session, and what is known of it. */
  #sessions = new Map();
  #publish;
  #connection;
  #isStale = false;
  #refreshing = 0;
  #failures = 0;
  #wake = () => {};
  #retry = 500;
  /** A stream that is silent for longer is taken for dead; a server may be slower than that. */
  #patience = 45_000;

  constructor(publish) {
    this.#publish = publish;
    this.#run();
  }

  /** Does not wait any longer before it connects again. */
  wake() {
    this.#wake();
  }

  /** A tab wants sessions; `held` is, by key, what it has of them already, or `null`. */
  join(tab, held) {
    for (const [key, known] of Object.entries(held)) {
      let session = this.#sessions.get(key);
      if (!session) {
        session = { tabs: new Set(), held: known };
        this.#sessions.set(key, session);
        this.#refresh();
      }
      session.tabs.add(tab);
      if (session.held && session.held.cursor !== known?.cursor) this.#tell(key, session.held);
      if (session.activity) this.#publish({ kind: "activity", key, activity: session.activity });
    }
    this.#publish({ kind: "status", status: this.status });
  }

  /** A tab no longer wants a session, or none at all. */
  leave(tab, keys = [...this.#sessions.keys()]) {
    for (const key of keys) {
      const session = this.#sessions.get(key);
      if (!session?.tabs.delete(tab) || session.tabs.size > 0) continue;
      this.#sessions.delete(key);
      // Somebody may come right back, as after a click on a link.
      setTimeout(() => this.#sessions.has(key) || this.#refresh(), 2_000);
    }
  }

  status = "connecting";

  #setStatus(status, delay = 0) {
    if (status === this.status && !delay) return;
    this.status = status;
    this.#publish({ kind: "status", status, delay });
  }

  #tell(key, { state, cursor }) {
    this.#publish({ kind: "state", key, state, cursor });
  }

  /** Connects anew, for the sessions that are wanted now. */
  #refresh() {
    if (this.#isStale) return;
    this.#isStale = true;
    // Whoever wants one session wants the next one at the same time.
    this.#refreshing = setTimeout(() => {
      this.#connection?.abort();
      this.#wake();
    }, 10);
  }

  async #run() {
    for (;;) {
      clearTimeout(this.#refreshing);
      this.#isStale = false;
      if (this.#sessions.size > 0) await this.#follow();
      if (this.#isStale) continue;
      if (this.#sessions.size > 0) {
        const delay = this.#failures === 0
          ? Math.random() * this.#retry : backOff(this.#failures, this.#retry);
        this.#failures += 1;
        this.#setStatus("reconnecting", delay);
        setTimeout(() => this.#wake(), delay);
      }
      await new Promise((resolve) => { this.#wake = resolve; });
    }
  }

  /** Follows the sessions for as long as one connection lasts. */
  async #follow() {
    const connection = new AbortController();
    this.#connection = connection;
    const query = new URLSearchParams({ delta: "patch", activity: "true" });
    for (const key of this.#sessions.keys()) query.append("session", key);
    const resumed = composeID(this.#sessions);
    if (resumed) query.set("last_event_id", resumed);
    let watchdog;
    const isAlive = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => {
        this.#patience = Math.min(this.#patience * 2, 600_000);
        connection.abort();
      }, this.#patience);
    };
    try {
      isAlive();
      const response = await fetch(new URL(`v1/events?${query}`, settings.base), {
        headers: { Accept: "text/event-stream", ...settings.headers },
        cache: "no-store",
        signal: connection.signal,
      });
      if (response.status !== 200 || !response.body) return await this.#sort(response);
      for await (const event of serverSentEvents(response.body)) {
        isAlive();
        if (event.retry) this.#retry = event.retry;
        if (event.retry && event.data === undefined) continue;
        if (event.name === "draining") return;
        this.#failures = 0;
        this.#setStatus("live");
        if (event.data !== undefined) this.#receive(event);
      }
    } catch {
      // The connection broke off, or was closed: either way the next one goes on from here.
    } finally {
      clearTimeout(watchdog);
      connection.abort();
    }
  }

  #receive({ name = "message", data, id }) {
    if (this.#sessions.has(name)) {
      this.#advance(name, id, () => parse(data));
      return;
    }
    const { session: key, data: inner } = parse(data);
    const session = this.#sessions.get(key);
    if (!session) return;
    if (name === "state") this.#advance(key, id, () => inner);
    if (name === "patch") {
      const from = session.held?.cursor;
      try {
        const state = patched(session.held?.state, inner);
        session.held = { state, cursor: cursorIn(id, key) };
      } catch (error) {
        // What cannot be must not go on: this session begins with a whole State again.
        reportError(error);
        session.held = null;
        this.#refresh();
        return;
      }
      this.#publish({ kind: "patch", key, from, patch: inner, cursor: session.held.cursor });
    }
    if (name === "activity") {
      session.activity = inner;
      this.#publish({ kind: "activity", key, activity: inner });
    }
    if (name === "reset") {
      session.held = null;
      this.#publish({ kind: "reset", key });
    }
    if (name === "end") this.#drop(key);
  }

  #advance(key, id, state) {
    const session = this.#sessions.get(key);
    session.held = { state: state(), cursor: cursorIn(id, key) };
    this.#tell(key, session.held);
  }

  /** There is no stream: asks each session why, and goes on without those that are the reason. */
  async #sort(response) {
    const told = await response.json().catch(() => ({}));
    await Promise.all([...this.#sessions.keys()].map(async (key) => {
      try {
        (await request(`${address(key)}/state`, { cache: "no-store" })).body?.cancel();
      } catch (problem) {
        if (problem.isPassing) return;
        this.#drop(key, problem.members);
        this.#isStale = true;
      }
    }));
    if (this.#isStale || told.parameter !== "session") return;
    // None of them is at fault, so they are too many for one stream: the last one has to go.
    this.#drop([...this.#sessions.keys()].pop(), told);
    this.#isStale = true;
  }

  #drop(key, problem) {
    this.#sessions.delete(key);
    this.#publish({ kind: "end", key, problem });
    if (this.#sessions.size === 0) this.#connection?.abort();
  }
}

/** The address of a session by its key. */
function address(key) {
  const [name, id] = key.split("/");
  return `v1/reactors/${encodeURIComponent(name)}/sessions/${encodeURIComponent(id)}`;
}

// The id of an event of several sessions holds all their cursors, `4w9xd.k3x9q2-17~p0c7m.8dn2vg-3`:
// each behind a tag, which is made from the session's key.

/** What stands for a session's key: 25 bits of FNV-1a. */
function tagOf(key) {
  let hash = 2_166_136_261;
  for (const byte of new TextEncoder().encode(key)) hash = Math.imul(hash ^ byte, 16_777_619);
  hash ^= hash >>> 25;
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  return [0, 5, 10, 15, 20].map((shift) => alphabet[(hash >>> shift) & 31]).join("");
}

/** The cursor of one session in the id of an event of several. */
function cursorIn(id, key) {
  const tag = `${tagOf(key)}.`;
  return id.split("~").find((entry) => entry.startsWith(tag))?.slice(tag.length) ?? "";
}

/** What resumes the sessions that something is known of. */
function composeID(sessions) {
  return [...sessions].filter(([, { held }]) => held)
    .map(([key, { held }]) => `${tagOf(key)}.${held.cursor}`).join("~");
}

/**
 * The sessions of this page, and their part in the connection.
 *
 * One tab of a browser holds the lock of that name and with it the connection; where it closes, the
 * next in the queue takes over with what the other tabs have. Without locks or channels (a page that
 * did not come over HTTPS) a page has a connection of its own.
 */
class Page {
  /** @type {Map<string, Reactor>} */
  #reactors = new Map();
  #tab = randomID();
  #name = `reactord 1 ${settings.base}`;
  #hub;
  #channel;
  #isShared = false;

  constructor() {
    addEventListener("pagehide", () => this.#keep());
    addEventListener("online", () => this.#ask({ kind: "wake" }));
    document.addEventListener(
      "visibilitychange", () => document.hidden || this.#ask({ kind: "wake" }));
    if (settings.isShared && navigator.locks && self.BroadcastChannel) this.#share();
    else this.#lead();
  }

  #share() {
    this.#channel = new BroadcastChannel(this.#name);
    this.#channel.onmessage = ({ data }) => this.#receive(data);
    const forever = new Promise(() => {});
    // Whoever waits for this lock learns when the tab is gone, however it went.
    navigator.locks.request(`${this.#name} ${this.#tab}`, () => {
      this.#isShared = true;
      this.#ask({ kind: "join", held: this.#held() });
      navigator.locks.request(this.#name, () => {
        this.#lead();
        return forever;
      });
      return forever;
    }).catch(() => {
      // A frame that may not have locks.
      this.#channel.close();
      this.#channel = undefined;
      this.#lead();
    });
  }

  /** What the last page of this tab knew of a session. */
  static restored(key) {
    try {
      return parse(sessionStorage.getItem(`reactord ${settings.base} ${key}`) ?? "null");
    } catch {
      return null;
    }
  }

  /** The one reactor of a session on this page. */
  open(key, make) {
    let reactor = this.#reactors.get(key);
    if (!reactor) {
      reactor = make();
      this.#reactors.set(key, reactor);
      this.join(reactor);
    }
    return reactor;
  }

  join(reactor) {
    this.#ask({ kind: "join", held: { [reactor.key]: reactor.confirmed ?? null } });
  }

  close(key) {
    this.#reactors.delete(key);
    this.#ask({ kind: "leave", keys: [key] });
  }

  #held() {
    return Object.fromEntries(
      [...this.#reactors.values()].filter((reactor) => !reactor.hasEnded)
        .map((reactor) => [reactor.key, reactor.confirmed ?? null]));
  }

  #lead() {
    this.#hub = new Hub((message) => {
      if (this.#tabs.size > 0) this.#channel?.postMessage(message);
      this.#receive(message);
    });
    this.#channel?.postMessage({ kind: "hub" });
    this.#ask({ kind: "join", held: this.#held() });
  }

  /** Tells the hub, wherever it is. Before this tab is known to the others, nothing: it will tell all. */
  #ask(message) {
    if (this.#hub) this.#serve({ ...message, tab: this.#tab });
    else if (this.#isShared) this.#channel.postMessage({ ...message, tab: this.#tab });
  }

  #serve({ kind, tab, held, keys }) {
    if (kind === "wake") this.#hub.wake();
    else if (kind === "leave") this.#hub.leave(tab, keys);
    else this.#hub.join(tab, held);
  }

  #receive(message) {
    const { kind, key, tab } = message;
    if (tab) {
      if (!this.#hub) return;
      const isKnown = this.#tabs.has(tab);
      this.#tabs.add(tab);
      this.#serve(message);
      if (isKnown) return;
      navigator.locks.request(`${this.#name} ${tab}`, () => this.#hub.leave(tab));
    } else if (kind === "hub") {
      this.#ask({ kind: "join", held: this.#held() });
    } else if (kind === "status") {
      for (const reactor of this.#reactors.values()) reactor.receive(message);
      // A browser slows down the clock of a page that nobody sees, and the hub's may be one.
      if (message.delay && !this.#hub && !document.hidden) {
        setTimeout(() => this.#ask({ kind: "wake" }), message.delay);
      }
    } else {
      const reactor = this.#reactors.get(key);
      if (reactor?.receive(message) === false) this.#ask({ kind: "join", held: { [key]: null } });
    }
  }

  #tabs = new Set();

  /** Keeps what is known for the next page of this tab, which is most often this one again. */
  #keep() {
    for (const [key, { confirmed }] of this.#reactors) {
      try {
        const text = stringify(confirmed ?? null);
        if (text.length < 262_144) sessionStorage.setItem(`reactord ${settings.base} ${key}`, text);
      } catch {
        // No room, or not allowed: the next page asks for the whole State.
      }
    }
  }
}

/** @type {Page | undefined} */
let page;

// MARK: Reactors

/** One session of a reactor, as this page knows it. Made by `reactor(…)`. */
export class Reactor {
  /** The State: the latest committed one, with what `send` was told to expect on top. */
  state = new Value();

  /** `connecting`, `live`, `reconnecting`, or at last `ended`. */
  connection = new Value("connecting");

  /** How many effects run, and how far they are: `{ running, progress }`. */
  activity = new Value({ running: 0, progress: null });

  /** The last committed State and its cursor: `{ state, cursor }`. */
  confirmed;

  /** Why the session ended, unless it was deleted. @type {Problem | undefined} */
  problem;

  #optimistic = /** @type {any[]} */ ([]);
  #waiting = new Set();
  #turn = Promise.resolve();
  #reduce;
  /** The committed State that is shown: `confirmed`, unless that is held back. */
  #base;
  #suspects = new Set();
  #hold = 0;
  #heldSince = 0;
  #roundTrip = 0;

  constructor(name, session, options) {
    this.name = name;
    this.session = session;
    this.key = `${name}/${session}`;
    this.#reduce = options.reduce;
    this.confirmed = Page.restored(this.key) ?? undefined;
    this.#base = this.confirmed;
    this.#show();
  }

  get cursor() {
    return this.confirmed?.cursor ?? "";
  }

  get version() {
    return this.confirmed ? position(this.cursor).version : 0;
  }

  get hasEnded() {
    return this.connection.value === "ended";
  }

  /** Follows the session no longer. */
  close() {
    page?.close(this.key);
    this.#end();
  }

  /** Makes the session, after it has ended or where sessions are made explicitly. */
  async begin() {
    await request(address(this.key), { method: "PUT" });
    this.confirmed = undefined;
    this.#base = undefined;
    this.problem = undefined;
    this.connection.set("connecting");
    page?.join(this);
  }

  /**
   * Sends an action, or an array of them, and resolves to a State that has what it did, once that is
   * committed; with a `Problem`, it did nothing, or not all.
   *
   * Actions enter in the order in which they are sent. Where an answer does not come, the action is
   * sent again, with the same `Idempotency-Key`: it runs once.
   *
   * @param action The action.
   * @param {object} options
   * @param {(state: any) => any} [options.optimistic] What the State will be, shown until it is
   *   known; the `reduce` of the reactor, if it has one, unless this is `null`.
   * @param {string} [options.ifMatch] The cursor at which the session must be.
   * @param {number} [options.wait] How long to wait for its effect, in seconds.
   * @param {number} [options.patience] How long to try, in milliseconds.
   * @param {AbortSignal} [options.signal] Ends the trying.
   */
  async send(action, options = {}) {
    const guess = options.optimistic !== undefined ? options.optimistic
      : this.#reduce && ((state) => this.#reduce(state, action));
    const entry = { guess, cursor: "", isSent: false };
    if (guess) {
      this.#optimistic.push(entry);
      this.#show();
    }
    try {
      const response = await this.#post(entry, stringify(action), options);
      entry.cursor = (response.headers.get("ETag") ?? "").replaceAll('"', "");
    } finally {
      // Refused, or of no known place: then it is not there. Otherwise it goes when it is confirmed.
      if (!entry.cursor) this.#optimistic = this.#optimistic.filter((other) => other !== entry);
      this.#settle();
    }
    if (entry.cursor) await this.#reached(entry.cursor);
    return this.state.value;
  }

  /** Sends a request until it is answered. */
  async #post(entry, body, { ifMatch, wait, patience = 60_000, signal }) {
    const headers = { "Content-Type": "application/json", "Idempotency-Key": randomID() };
    headers.Prefer = ["return=minimal", ...(wait === undefined ? [] : [`wait=${wait}`])].join(", ");
    if (ifMatch) headers["If-Match"] = `"${ifMatch}"`;
    const before = this.#turn;
    let pass = () => {};
    this.#turn = new Promise((resolve) => { pass = () => resolve(); });
    await before;
    const deadline = Date.now() + patience;
    try {
      for (let failures = 0; ; failures += 1) {
        // A long effect holds up nobody: what is on its way for this long has arrived.
        const timer = setTimeout(pass, 250);
        const start = performance.now();
        entry.isSent = true;
        try {
          const response = await request(
            `${address(this.key)}/actions`, { method: "POST", headers, body, signal });
          const took = performance.now() - start;
          this.#roundTrip = ((this.#roundTrip || took) + took) / 2;
          return response;
        } catch (problem) {
          const delay = Math.max(backOff(failures), (problem.retryAfter ?? 0) * 1000);
          if (!problem.isPassing || Date.now() + delay > deadline) throw problem;
          clearTimeout(timer);
          await pause(delay);
        }
      }
    } finally {
      pass();
    }
  }

  /** Waits until the stream has brought a cursor; what is of another history is not waited for. */
  #reached(cursor) {
    if (this.hasEnded || (this.#base && hasReached(this.#base.cursor, cursor))) return;
    return new Promise((resolve) => {
      const waiting = { cursor, resolve };
      this.#waiting.add(waiting);
      setTimeout(() => this.#waiting.delete(waiting) && resolve(undefined), 30_000);
    });
  }

  /** Takes a message of the hub; `false` where one before it is missing. */
  receive({ kind, status, state, cursor, from, patch, activity, problem }) {
    if (kind === "status") {
      if (!this.hasEnded) this.connection.set(status);
    } else if (kind === "activity") {
      this.activity.set(activity);
    } else if (kind === "state") {
      // The hub may have had less than this tab when it took over.
      if (!this.confirmed || !hasReached(this.cursor, cursor)) this.#confirm(state, cursor);
    } else if (kind === "patch") {
      if (cursor === this.cursor) return true;
      if (from !== this.cursor) return false;
      this.#confirm(patched(this.confirmed.state, patch), cursor);
    } else if (kind === "end") {
      this.problem = problem && new Problem(problem);
      this.#end();
    }
    return true;
  }

  #confirm(state, cursor) {
    this.confirmed = { state, cursor };
    this.#suspects = new Set(
      this.#optimistic.filter((entry) => entry.isSent && !entry.cursor));
    this.#settle();
  }

  #end() {
    this.connection.set("ended");
    this.activity.set({ running: 0, progress: null });
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting.clear();
  }

  /**
   * Shows the newest State, at once unless an optimistic action was on its way when it came: only the
   * answer tells whether that State has it already, and the answer is about to come.
   */
  #settle() {
    for (const entry of this.#suspects) {
      if (!entry.cursor && this.#optimistic.includes(entry)) continue;
      this.#suspects.delete(entry);
      // Answers come, so the other ones will, too.
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
    // What is of another history than this will not come any more.
    const { cursor } = this.#base;
    const { epoch } = position(cursor);
    const isToCome = (goal) => position(goal).epoch === epoch && !hasReached(cursor, goal);
    this.#optimistic = this.#optimistic.filter((entry) => !entry.cursor || isToCome(entry.cursor));
    this.#show();
    for (const waiting of this.#waiting) {
      if (isToCome(waiting.cursor)) continue;
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

/**
 * A session of a reactor. Asking twice gives the same one.
 *
 * @param {string} name The reactor's name.
 * @param {string} session The session's id.
 * @param {object} options
 * @param {(state: any, action: any) => any} [options.reduce] What an action will probably do, shown
 *   until it is known.
 */
export function reactor(name, session, options = {}) {
  page ??= new Page();
  return page.open(`${name}/${session}`, () => new Reactor(name, session, options));
}
