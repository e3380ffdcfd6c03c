// The types of /reactor.js, the client of reactord for pages.
//
// Those of a reactor's actions and State are in /v1/reactors/{reactor}/types.ts:
//
//   import { reactor } from "/reactor.js";
//   import type { Action, State } from "/v1/reactors/counter/types.ts";
//
//   const counter = reactor<State, Action>("counter", "demo");

/** Changes how the server is reached, before the first `reactor(…)`. */
export function configure(changes: {
  /** The folder that `v1/` is in. */
  base?: string;
  /** What goes with every request, such as an `Authorization`. */
  headers?: Record<string, string>;
  /** Whether the tabs of the browser share one connection; they do unless this is `false`. */
  isShared?: boolean;
}): void;

/** Ends what it was given for. */
export type End = () => void;

/**
 * Values over time. A stream does nothing until it is subscribed to.
 *
 * An error that an operator throws is told to `driver`, if there is one further on, and else to
 * `reportError`; unlike in Rx it does not end the stream.
 */
export class Stream<T> {
  constructor(connect: (next: (value: T) => void, fail: (error: unknown) => void) => End);
  subscribe(next: (value: T) => void, fail?: (error: unknown) => void): End;
  map<U>(transform: (value: T) => U): Stream<U>;
  filter(isWanted: (value: T) => boolean): Stream<T>;
  /** Leaves out a value that equals the one before it, as JSON unless you say how. */
  distinct(isSame?: (one: T, other: T) => boolean): Stream<T>;
  /** Waits until no other value came for so many milliseconds. */
  debounce(milliseconds: number): Stream<T>;
  /** Lets the first value through, and then at most one in so many milliseconds: the latest. */
  throttle(milliseconds: number): Stream<T>;
  /** A stream that never fails: in place of an error comes a value, or what is made of the error. */
  driver(fallback: T | ((error: unknown) => T)): Stream<T>;
  /** Shows the latest value in the layout pass of the next frame. */
  drive(draw: (value: T) => void): End;
  /** Shows the latest value as a property of an element in the layout pass of the next frame. */
  drive<Name extends string>(target: { [name in Name]: T | any }, name: Name): End;
  /** Sends each value to a reactor as an action. */
  to<State>(reactor: Reactor<State, T>, failed?: (error: unknown) => void): End;
}

/** A stream with a current value, which every subscriber gets first; none while it is `undefined`. */
export class Value<T> extends Stream<T> {
  constructor(value?: T);
  readonly value: T | undefined;
  set(value: T): void;
}

/**
 * Registers a function that brings a part of the page up to date.
 *
 * Those that are needed run once, in one pass before the next frame, in the order of registration.
 */
export function layout(draw: () => void): { setNeedsLayout(): void; end: End };

/** A control event: what happens to an element. */
export function on<Name extends keyof HTMLElementEventMap>(
  element: EventTarget, type: Name
): Stream<HTMLElementEventMap[Name]>;
export function on(element: EventTarget, type: string): Stream<Event>;

/** A control property: what an element holds, as the user changes it. */
export function property<T = string>(
  element: HTMLElement, name?: string, type?: string
): Stream<T> & {
  /** Binds both ways: what the user enters becomes an action, and what the State says is shown. */
  bind<State, Action>(
    reactor: Reactor<State, Action>,
    ways: { value: (state: State) => T; action: (value: T) => Action; throttle?: number },
    failed?: (error: unknown) => void
  ): End;
};

/** Shows activity: `chat.activity.drive(indicator(element))`. */
export function indicator(element: HTMLElement): (activity: Activity) => void;

/** How many effects run, and how far they are: from 0 to 1, `null` where that is not known. */
export interface Activity {
  running: number;
  progress: number | null;
}

/** Reads JSON; an integer of more than 53 bits becomes a `bigint` where the browser can tell. */
export function parse(text: string): any;

/** Writes JSON, a `bigint` with all its digits. */
export function stringify(value: unknown): string;

/** Applies a JSON Patch (RFC 6902) and gives the new document; the old one stays as it is. */
export function patched(document: any, operations: readonly object[]): any;

/** An error as the server tells it (RFC 9457), or in its place one of the way to the server. */
export class Problem extends Error {
  constructor(members: Problem["members"]);
  readonly members: {
    title: string; status?: number; type?: string; detail?: string; [name: string]: any;
  };
  readonly status: number;
  /** Whether the same request may well succeed later. */
  readonly isPassing: boolean;
}

/** Sends a request to a path such as `v1/reactors`; throws a `Problem` unless it succeeds. */
export function request(path: string, options?: RequestInit): Promise<Response>;

/** How an action is sent. */
export interface SendOptions<State> {
  /** What the State will be, shown until it is known; `null` for no guess. */
  optimistic?: ((state: State) => State) | null;
  /** The cursor at which the session must be. */
  ifMatch?: string;
  /** How long to wait for its effect, in seconds. */
  wait?: number;
  /** How long to try, in milliseconds. */
  patience?: number;
  /** Ends the trying. */
  signal?: AbortSignal;
}

/** One session of a reactor, as this page knows it. */
export interface Reactor<State = any, Action = any> {
  readonly name: string;
  readonly session: string;
  readonly key: string;
  /** The State: the latest committed one, with what `send` was told to expect on top. */
  readonly state: Value<State>;
  readonly connection: Value<"connecting" | "live" | "reconnecting" | "ended">;
  readonly activity: Value<Activity>;
  /** The last committed State and its cursor. */
  readonly confirmed: { state: State; cursor: string } | undefined;
  readonly cursor: string;
  readonly version: number;
  readonly hasEnded: boolean;
  /** Why the session ended, unless it was deleted. */
  readonly problem: Problem | undefined;
  /**
   * Sends an action, or an array of them, and resolves to a State that has what it did, once that
   * is committed.
   */
  send(action: Action | readonly Action[], options?: SendOptions<State>): Promise<State>;
  /** Makes the session, after it has ended or where sessions are made explicitly. */
  begin(): Promise<void>;
  /** Follows the session no longer. */
  close(): void;
}

/** A session of a reactor. Asking twice gives the same one. */
export function reactor<State = any, Action = any>(
  name: string, session: string,
  options?: {
    /** What an action will probably do, shown until it is known. */
    reduce?: (state: State, action: Action) => State;
  }
): Reactor<State, Action>;
