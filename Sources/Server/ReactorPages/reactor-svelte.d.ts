// The types of /reactor-svelte.js, the Svelte bindings of /reactor.js.

import type { Reactor, SendOptions, Value } from "./reactor";

/** A store of Svelte; `svelte/store` has the same type. */
export interface Readable<T> {
  /** Calls `run` with the current value at once, and with each new one. Returns a function that ends this. */
  subscribe(run: (value: T) => void): () => void;
}

/**
 * The State of a session: `$counter?.value`, and `counter.send("increase")`.
 *
 * The value is `undefined` before the first State, and without the right to read the session. The subscription ends with
 * the component; the session itself ends with `close()`.
 */
export function reactorStore<State, Action>(session: Reactor<State, Action>): Readable<State | undefined> & {
  send(action: Action | readonly Action[], options?: SendOptions<State>): Promise<State>;
};

/** The latest value of a stream such as `counter.connection`, `traits` or `part(…).value`. */
export function valueStore<T>(value: Value<T>): Readable<T | undefined>;
