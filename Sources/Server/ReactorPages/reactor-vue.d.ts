// The types of /reactor-vue.js, the Vue bindings of /reactor.js.

import type { ShallowRef } from "vue";
import type { Reactor, Value } from "./reactor";

/**
 * The State of a session, for `setup`: `const state = useReactor(counter)`, and `{{ state?.value }}` in the template.
 *
 * Its value is `undefined` before the first State, and without the right to read the session. The subscription ends with
 * the component or its effect scope; the session itself ends with `close()`.
 */
export function useReactor<State>(session: Reactor<State, any>): Readonly<ShallowRef<State | undefined>>;

/** The latest value of a stream such as `counter.connection`, `traits` or `part(…).value`. */
export function useValue<T>(value: Value<T>): Readonly<ShallowRef<T | undefined>>;
