// The types of /reactor-react.js, the React bindings of /reactor.js.

import type { Reactor, Value } from "./reactor";

/**
 * The State of a session, or what a function selects from it: `useReactor(counter, ({ value }) => value)`.
 *
 * The component renders again when the result changes. The subscription ends with the component; the session itself
 * ends with `close()`.
 *
 * @returns `undefined` before the first State, on a server, and without the right to read the session.
 */
export function useReactor<State>(session: Reactor<State, any>): State | undefined;
export function useReactor<State, Result>(
  session: Reactor<State, any>, select: (state: State) => Result
): Result | undefined;

/** The latest value of a stream such as `counter.connection`, `traits` or `part(…).value`. */
export function useValue<T>(value: Value<T>): T | undefined;
export function useValue<T, Result>(value: Value<T>, select: (value: T) => Result): Result | undefined;
