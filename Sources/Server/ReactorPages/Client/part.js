// A part of a session's State, or nothing of it but its presence and activity.

import { hasReached } from "./cursors.js";
import { isEqual, patched, valueAt } from "./json.js";
import { lacksRight, Problem } from "./requests.js";
import { empty, idle, Value } from "./streams.js";

/** In place of a JSON Pointer: no part. */
export const NONE = "none";

/** The smallest part that contains two: of `/a/b` and `/a/c` it is `/a`. */
export function smallestCommon(one, other) {
  if (one === NONE || one === other) return other;
  if (other === NONE) return one;
  const [names, others] = [one.split("/"), other.split("/")];
  const end = names.findIndex((name, index) => name !== others[index]);
  return (end < 0 ? names : names.slice(0, end)).join("/");
}

/**
 * A part of a session, as this page knows it; created by `part(…)`.
 *
 * @implements {Declared}
 */
export class Part {
  value = new Value();
  connection = new Value("connecting");
  activity = new Value(idle);
  presence = /** @type {Value<import("../reactor").Presence>} */ (
    new Value(undefined, () => this.#tab.want("presence")));
  cursor = "";
  /** @type {Problem | undefined} */
  problem;
  #tab;
  /** The larger part that the stream sends. @type {{ select: string, state: any, cursor: string } | undefined} */
  #held;
  /** Whether the next value replaces the current one, although its version can be older. */
  #isReset = false;

  /** @param {import("./tabs.js").Tab} tab */
  constructor(tab, key, select) {
    this.#tab = tab;
    this.key = key;
    this.select = select;
  }

  get hasEnded() {
    return this.connection.value === "ended";
  }

  close() {
    this.#tab.closePart(this);
    this.#end(new Problem({ title: "Closed by the page", status: 410 }));
  }

  /** Reopens a part that ended because the credential was rejected. */
  reopen() {
    if (!this.hasEnded || !lacksRight(this.problem)) return;
    this.problem = undefined;
    this.forget();
    this.connection.set("connecting");
  }

  /** Forgets what another credential has read; the next value replaces the current one. */
  forget() {
    this.#held = undefined;
    this.cursor = "";
  }

  /** Shows that the stream is interrupted. */
  reconnect() {
    if (this.connection.value === "live") this.connection.set("reconnecting");
  }

  /** Applies a message of the connection. Returns `false` if an earlier patch is missing. */
  receive({ kind, status, select, state, cursor, from, patch, value, problem }) {
    if (kind === "status") {
      const isKnown = status === "connecting" && this.connection.value === status;
      if (!this.hasEnded && !isKnown) this.connection.set(status);
    } else if (kind === "activity" || kind === "presence") {
      this[kind].set(value);
    } else if (kind === "reset") {
      this.#isReset = true;
    } else if (kind === "end") {
      this.#end(problem && new Problem(problem));
    } else if (this.select === NONE || smallestCommon(select, this.select) !== select) {
      // The stream does not contain the part yet.
      return true;
    } else if (kind === "state") {
      this.#hold({ select, state, cursor });
    } else if (kind === "patch") {
      const held = this.#held?.select === select ? this.#held : undefined;
      if (held?.cursor === cursor) return true;
      if (!held || held.cursor !== from) return false;
      this.#hold({ select, state: patched(held.state, patch), cursor });
    }
    return true;
  }

  #hold(held) {
    this.#held = held;
    // A tab that begins to lead can have an older State than this tab.
    if (!this.#isReset && this.cursor && hasReached(this.cursor, held.cursor)) return;
    this.#isReset = false;
    this.cursor = held.cursor;
    const value = valueAt(this.select.slice(held.select.length), held.state);
    if (this.value.value === undefined || !isEqual(value, this.value.value)) this.value.set(value);
  }

  #end(problem) {
    this.problem = problem;
    // The credential that read the State is no longer valid, or is another one now.
    if (lacksRight(problem)) this.value.clear();
    this.#held = undefined;
    this.connection.set("ended");
    this.activity.set(idle);
    if (this.presence.value) this.presence.set(empty);
  }
}

/** @typedef {import("../reactor").Part} Declared */
