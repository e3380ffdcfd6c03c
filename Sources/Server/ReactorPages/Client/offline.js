// The stored actions without a final response: they survive a reload, and the end of the browser.

import { Problem, randomID } from "./requests.js";

/**
 * An action of a page: `owner` and `tab` are those of the queue that sends it, `at` the time of the first
 * attempt in milliseconds since 1970.
 *
 * @typedef {{ number?: number, owner?: string, tab?: string, session: string, key: string, body: string,
 *   ifMatch?: string, wait?: number, at?: number }} Stored
 */

/** How long after its first attempt an action is repeated, in milliseconds: the server forgets keys after 24 h. */
export const MEMORY = 23 * 3_600_000;

/** The number of pending actions of a session. */
export const BOUND = 1_000;

export const tooMany = () => new Problem({
  title: "Too many actions wait for the server", status: 429,
  detail: `At most ${BOUND} actions of a session wait. Nothing was sent.`,
});

/** @type {Promise<IDBDatabase> | undefined} */
let database;

function open() {
  database ??= new Promise((resolve, reject) => {
    const request = indexedDB.open("reactord", 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore("actions", { keyPath: "number", autoIncrement: true });
    request.onerror = () => reject(request.error);
    request.onsuccess = () => resolve(request.result);
  });
  return database;
}

/** Executes a transaction, and returns the result of the last request of its body. */
async function transact(mode, body) {
  const transaction = (await open()).transaction("actions", mode);
  const request = body(transaction.objectStore("actions"));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(request?.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** @returns {Promise<Stored[]>} */
const all = () => transact("readonly", (actions) => actions.getAll());

/** The numbers of the actions that this page sends itself. */
const own = new Set();

/** Removes the actions of a user. */
export async function clear(owner) {
  const numbers = (await all()).filter((record) => record.owner === owner).map(({ number }) => number);
  await transact("readwrite", (actions) => {
    for (const number of numbers) actions.delete(number);
  });
}

/**
 * The stored actions of one user, as one page sees them.
 *
 * Each page holds a lock while it lives, and stores the lock's name with its actions. A page begins with the
 * actions of pages that have ended; from then on, one of the pages takes over those of each page that ends.
 * Without locks each page sends all of them: because of their keys the server executes each once.
 */
export class OfflineQueue {
  /** Resolves when the page has the actions of the pages that ended before. @type {Promise<void>} */
  ready;
  #owner;
  #adopt;
  #id = randomID();
  #end = new AbortController();
  /** @type {BroadcastChannel | undefined} */
  #channel;
  /** The pages for whose end this one waits. */
  #watched = new Set();

  /** @param adopt Sends an action of a page that has ended. */
  constructor(owner, adopt) {
    this.#owner = owner;
    this.#adopt = adopt;
    this.ready = this.#begin().catch((error) => {
      // The storage is forbidden or full: actions are in memory only.
      if (!this.#end.signal.aborted) reportError(error);
    });
  }

  /** Leaves the actions to another page; this one can still store and remove its own. */
  close() {
    this.#end.abort();
    this.#channel?.close();
  }

  /** Stores an action of this page. @param {Stored} record */
  async add(record) {
    Object.assign(record, { owner: this.#owner, tab: this.#id });
    record.number = await transact("readwrite", (actions) => actions.add(record));
    own.add(record.number);
    if (!this.#end.signal.aborted) this.#channel?.postMessage(this.#id);
  }

  /** Records the first attempt to send an action. @param {Stored} record */
  async sent(record) {
    if (record.number === undefined) return;
    record.at = Date.now();
    await transact("readwrite", (actions) => actions.put(record));
  }

  /** @param {Stored} record */
  async remove({ number }) {
    if (number === undefined) return;
    await transact("readwrite", (actions) => actions.delete(number));
    own.delete(number);
  }

  async #begin() {
    const { locks } = navigator;
    if (!locks || !self.BroadcastChannel) return this.#take(undefined);
    const { signal } = this.#end;
    const end = new Promise((resolve) => signal.addEventListener("abort", resolve));
    await new Promise((resolve, reject) =>
      locks.request(this.#lock(this.#id), { signal }, () => {
        resolve(undefined);
        return end;
      }).catch(reject));
    this.#channel = new BroadcastChannel(this.#owner);
    for (const tab of await this.#others()) {
      await locks.request(this.#lock(tab), { ifAvailable: true }, (lock) => lock && this.#take(tab));
    }
    // Not awaited: the page that watches the others holds the lock as long as it lives.
    locks.request(this.#lock(""), { signal }, async () => {
      this.#channel.onmessage = ({ data }) => this.#watch(data);
      for (const tab of await this.#others()) this.#watch(tab);
      await end;
    }).catch(() => {});
  }

  #lock(tab) {
    return `${this.#owner} ${tab}`;
  }

  /** The other pages that have stored actions. */
  async #others() {
    const records = await all();
    return new Set(
      records.filter(({ owner, tab }) => owner === this.#owner && tab !== this.#id).map(({ tab }) => tab));
  }

  /** Assigns the actions of a page to this one when it has ended. */
  #watch(tab) {
    if (this.#watched.has(tab)) return;
    this.#watched.add(tab);
    navigator.locks.request(this.#lock(tab), { signal: this.#end.signal }, async () => {
      this.#watched.delete(tab);
      await this.#take(tab);
    }).catch(() => this.#watched.delete(tab));
  }

  /** Assigns the actions of a page, or of all pages, to this one, and sends them in their order. */
  async #take(tab) {
    const records = (await all()).filter((record) => record.owner === this.#owner
      && (tab === undefined || record.tab === tab));
    await transact("readwrite", (actions) => {
      for (const record of records) actions.put(Object.assign(record, { tab: this.#id }));
    });
    for (const record of records) {
      // A page that returns from the back-forward cache still sends its own.
      if (own.has(record.number)) continue;
      own.add(record.number);
      this.#adopt(record);
    }
  }
}
