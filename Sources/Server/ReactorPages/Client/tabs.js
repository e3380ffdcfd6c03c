// The tabs of a browser and the connection that they share.

import { Connection } from "./connection.js";
import { parse, stringify } from "./json.js";
import { clear, OfflineQueue } from "./offline.js";
import { NONE, Part, smallestCommon } from "./part.js";
import { owner, randomID, scope, settings } from "./requests.js";
import { currentToken, onIdentityChange, tokenIdentity } from "./token.js";

/** Whether tabs share a connection. Tokens that name no user can belong to another one in each tab. */
const isShared = () => settings.isShared && (!settings.token || !!tokenIdentity());

/** Removes the States that the pages of this tab have stored in a scope. */
export function forgetStates(scope) {
  try {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(`${scope} `)) sessionStorage.removeItem(key);
    }
  } catch {
    // The storage is forbidden.
  }
}

/**
 * The sessions of this page, and its part in the connection that it shares with other tabs.
 *
 * The tab that holds the lock of the connection's name leads: it has the connection. When it closes
 * or is frozen, the next tab in the queue leads and resumes from the States that the tabs have.
 * Without locks or channels (an insecure context) each page has a connection of its own.
 */
export class Tab {
  /** @type {Map<string, import("./session.js").Reactor>} */
  #reactors = new Map();
  /** The parts of sessions, by the session's key and their pointer. @type {Map<string, Part>} */
  #parts = new Map();
  /** The optional kinds of events that this page has requested. */
  #wanted = new Set();
  /** The scope that this page has entered. */
  #scope = scope();
  /** Aborts when the page is left or frozen; then `undefined`. @type {AbortController | undefined} */
  #visit;
  #id = "";
  /** The connection, if this tab leads. @type {Connection | undefined} */
  #connection;
  /** @type {BroadcastChannel | undefined} */
  #channel;
  /** Whether this tab holds the lock by which the leader detects that the tab was closed. */
  #isAnnounced = false;
  /** The other tabs, if this one leads. */
  #others = new Set();
  #hidden = 0;
  /** Whether the page has entered its scope, which needs the token. */
  #hasBegun = false;
  /** The stored actions; `undefined` without an offline queue. @type {OfflineQueue | undefined} */
  queue;
  /** Resolves when the queue is known. @type {Promise<void>} */
  entered;
  #entered = /** @type {(_: void) => void} */ (() => {});
  #owner = owner();
  /** The sessions that send stored actions, and that the page does not show. */
  #senders = /** @type {Map<string, import("./session.js").Reactor>} */ (new Map());
  /** Reject the actions that were sent with the former settings. @type {(() => void)[]} */
  #cancellations = [];
  #create;

  /** @param create Creates the reactor of a session. */
  constructor(create) {
    this.#create = create;
    this.entered = new Promise((resolve) => { this.#entered = resolve; });
    onIdentityChange(() => {
      if (this.#hasBegun && (this.#scope !== scope() || this.#owner !== owner())) this.reconfigure();
    });
    addEventListener("pagehide", () => {
      this.#save();
      this.#leave();
    });
    addEventListener("pageshow", ({ persisted }) => persisted && this.#enter());
    // The stream of a frozen page does not continue after it resumes.
    document.addEventListener("freeze", () => this.#leave());
    document.addEventListener("resume", () => this.#enter());
    addEventListener("online", () => {
      this.#ask({ kind: "wake" });
      for (const reactor of this.#all) reactor.wake();
    });
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return this.#leaveLater();
      this.#enter();
      this.#ask({ kind: "wake" });
    });
    this.#enter();
  }

  /** The State of a session that the previous page of this tab had. */
  restored(key) {
    try {
      return parse(sessionStorage.getItem(`${this.#scope} ${key}`) ?? "null");
    } catch {
      return null;
    }
  }

  /** Returns the reactor of a session on this page, which the first call creates. */
  open(key, options) {
    let reactor = this.#reactors.get(key);
    if (!reactor) {
      reactor = this.#senders.get(key) ?? this.#create(this, key);
      this.#senders.delete(key);
      reactor.use(options);
      reactor.restore();
      this.#reactors.set(key, reactor);
      this.join(reactor);
    }
    return reactor;
  }

  /** Returns a part of a session on this page, which the first call creates. */
  openPart(key, select) {
    const name = `${key} ${select}`;
    let part = this.#parts.get(name);
    if (!part) {
      part = new Part(this, key, select);
      this.#parts.set(name, part);
      this.join(part);
    }
    return part;
  }

  /** The sessions and parts of this page: those of a key, or all. */
  #shown(key) {
    return [...this.#reactors.values(), ...this.#parts.values()]
      .filter((shown) => key === undefined || shown.key === key);
  }

  get #all() {
    return [...this.#reactors.values(), ...this.#senders.values()];
  }

  /** Sends a stored action of a page that has ended. */
  async #resend(record) {
    const key = record.session;
    const reactor = this.#reactors.get(key) ?? this.#senders.get(key) ?? this.#create(this, key);
    if (!this.#reactors.has(key)) this.#senders.set(key, reactor);
    await reactor.resend(record);
    if (!reactor.isSending) this.#senders.delete(key);
  }

  /** Requests a kind of events for the sessions of this page. */
  want(kind) {
    if (this.#wanted.has(kind)) return;
    this.#wanted.add(kind);
    this.#ask({ kind: "join", held: {} });
  }

  join(reactor) {
    this.#ask({ kind: "join", held: { [reactor.key]: reactor.confirmed ?? null } });
  }

  close(key) {
    this.#reactors.delete(key);
    this.#leaveSession(key);
  }

  closePart({ key, select }) {
    this.#parts.delete(`${key} ${select}`);
    this.#leaveSession(key);
  }

  /** Leaves a session, or what this page does not show of it any more. */
  #leaveSession(key) {
    const held = this.#held(key);
    this.#ask(key in held ? { kind: "join", held } : { kind: "leave", keys: [key] });
  }

  /** Uses the current settings, and reopens the sessions that the former credential could not read. */
  reconfigure() {
    if (
      this.#scope === scope() && isShared() === !!this.#channel && !settings.token
      && settings.offlineQueue === !!this.queue && this.#owner === owner()
    ) return;
    this.#leave();
    const former = this.#entered;
    this.entered = new Promise((resolve) => {
      this.#entered = () => {
        former();
        resolve();
      };
    });
    this.#cancellations.push(...this.#all.map((reactor) => reactor.cancellation()));
    for (const shown of this.#shown()) shown.reopen();
    this.#enter();
  }

  #enter() {
    if (this.#visit) return;
    const visit = this.#visit = new AbortController();
    this.#leaveLater();
    for (const shown of this.#shown()) shown.reconnect();
    if (!settings.token) return this.#begin(visit);
    // The user of the token decides what this page shares with others. Without a token, the connection
    // requests one with each attempt.
    currentToken().catch(() => {}).then(() => visit.signal.aborted || this.#begin(visit));
  }

  #begin(visit) {
    this.#hasBegun = true;
    const [former, formerOwner] = [this.#scope, this.#owner];
    this.#scope = scope();
    this.#owner = owner();
    if (former !== this.#scope) {
      forgetStates(former);
      // Another credential, and the tabs with it, do not receive what this one has read.
      for (const reactor of this.#reactors.values()) reactor.confirmed = undefined;
      for (const part of this.#parts.values()) part.forget();
    }
    if (settings.offlineQueue && formerOwner && this.#owner !== formerOwner) {
      clear(formerOwner).catch(reportError);
      for (const cancel of this.#cancellations) cancel();
    }
    this.#cancellations = [];
    this.queue?.close();
    this.queue = settings.offlineQueue && this.#owner
      ? new OfflineQueue(this.#owner, (record) => this.#resend(record)) : undefined;
    this.#entered();
    for (const reactor of this.#reactors.values()) reactor.restore();
    if (!isShared() || !navigator.locks || !self.BroadcastChannel) return this.#lead();
    this.#id = randomID();
    this.#channel = new BroadcastChannel(this.#scope);
    this.#channel.onmessage = ({ data }) => this.#receive(data);
    const end = new Promise((resolve) => visit.signal.addEventListener("abort", resolve));
    this.#lock(this.#id, () => {
      this.#isAnnounced = true;
      this.#ask({ kind: "join", held: this.#held() });
      this.#lock("", () => {
        this.#lead();
        return end;
      });
      return end;
    }).catch(() => {
      // Locks can be unavailable in a frame.
      if (visit.signal.aborted) return;
      this.#channel?.close();
      this.#channel = undefined;
      this.#lead();
    });
  }

  /** Requests a lock. The name is a tab's id, or empty for the leader's lock. */
  #lock(name, granted) {
    const { signal } = this.#visit;
    return navigator.locks.request(
      `${this.#scope} ${name}`, { signal }, () => signal.aborted || granted())
      .catch((error) => { if (!signal.aborted) throw error; });
  }

  #leave() {
    this.#visit?.abort();
    this.#connection?.close();
    this.#channel?.close();
    this.queue?.close();
    this.#visit = this.#connection = this.#channel = undefined;
    this.#hasBegun = false;
    this.#isAnnounced = false;
    this.#others.clear();
  }

  /**
   * Closes the connection of a page that remains hidden, unless tabs share it: browsers open at most six
   * connections per server with HTTP/1.1.
   */
  #leaveLater() {
    clearTimeout(this.#hidden);
    this.#hidden = setTimeout(() => document.hidden && !this.#channel && this.#leave(), 30_000);
  }

  /** The sessions of this page, or the one of a key, with the States that it has. */
  #held(key) {
    return Object.fromEntries(
      this.#shown(key).filter(({ hasEnded }) => !hasEnded)
        .map(({ key }) => [key, this.#reactors.get(key)?.confirmed ?? null]));
  }

  /** The parts that this page shows, by the keys of sessions that it does not show as a whole. */
  #selects(keys) {
    const selects = keys.map((key) => {
      const shown = this.#shown(key).filter(({ hasEnded }) => !hasEnded);
      return [key, shown.map(({ select }) => select ?? "").reduce(smallestCommon, NONE)];
    });
    return Object.fromEntries(selects.filter(([, select]) => select));
  }

  #lead() {
    this.#connection = new Connection((message) => {
      if (this.#others.size > 0) this.#channel?.postMessage(message);
      this.#receive(message);
    });
    this.#channel?.postMessage({ kind: "leader" });
    this.#ask({ kind: "join", held: this.#held() });
  }

  /** Sends a message to the leader; nothing before this tab is announced, when it joins its sessions. */
  #ask(message) {
    if (message.kind === "join") {
      message.wanted = [...this.#wanted];
      message.selects = this.#selects(Object.keys(message.held));
    }
    if (this.#connection) this.#serve({ ...message, tab: this.#id });
    else if (this.#isAnnounced) this.#channel.postMessage({ ...message, tab: this.#id });
  }

  #serve({ kind, tab, held, selects, wanted, keys }) {
    if (kind === "wake") this.#connection.wake();
    else if (kind === "leave") this.#connection.leave(tab, keys);
    else this.#connection.join(tab, held, selects, wanted);
  }

  #receive(message) {
    const { kind, key, tab } = message;
    if (tab) {
      const connection = this.#connection;
      if (!connection) return;
      const isNew = !this.#others.has(tab);
      this.#others.add(tab);
      this.#serve(message);
      // The lock is granted when the tab has left, been closed or crashed.
      if (isNew) this.#lock(tab, () => connection.leave(tab));
    } else if (kind === "leader") {
      this.#ask({ kind: "join", held: this.#held() });
    } else if (kind === "status") {
      for (const reactor of [...this.#all, ...this.#parts.values()]) reactor.receive(message);
      // Browsers slow down the timers of hidden pages, and the leader can be hidden.
      if (message.delay && !this.#connection && !document.hidden) {
        setTimeout(() => this.#ask({ kind: "wake" }), message.delay);
      }
    } else {
      const isMissing = this.#shown(key).map((shown) => shown.receive(message)).includes(false);
      if (isMissing) this.#ask({ kind: "join", held: { [key]: null } });
    }
  }

  /** Stores the States for the next page of this tab, which is often the same page. */
  #save() {
    if (settings.token && !tokenIdentity()) return;
    for (const [key, { confirmed, hasEnded }] of this.#reactors) {
      try {
        const text = stringify(hasEnded ? null : confirmed ?? null);
        if (text.length < 262_144) sessionStorage.setItem(`${this.#scope} ${key}`, text);
      } catch {
        // The storage is full or forbidden: the next page receives the whole State.
      }
    }
  }
}
