// The types of /reactor.js, the client of reactord for pages.
//
// Those of a reactor's actions and State are in /v1/reactors/{reactor}/types.ts:
//
//   import { reactor } from "/reactor.js";
//   import type { Action, State } from "/v1/reactors/counter/types";
//
//   const counter = reactor<State, Action>("counter", "demo");

/**
 * Changes how the server is reached. Open sessions continue with the new settings; those that ended
 * because a token was rejected reopen. States that were read with other `headers` are not retained.
 */
export function configure(changes: {
  /** The folder that `v1/` is in. */
  base?: string;
  /** The fields of every request, such as an `Authorization`. */
  headers?: Record<string, string>;
  /**
   * Returns the token to send; `null` for none. It is called at the start, before a JSON Web Token
   * expires, and after a token was rejected or a stream has ended with it. The page notices nothing.
   *
   * The user of a token is in the claims `iss` and `sub` of a JSON Web Token, or in `user`. If neither is
   * known, each tab has a connection of its own, which it closes while it is hidden for more than 30 s, and
   * no State and no action is stored for the next page.
   */
  token?: (() => Promise<string | null> | string | null) | undefined;
  /**
   * The name of this page among the subscribers, in a service without authentication. Tabs share a
   * connection only if their names are equal.
   */
  name?: string | undefined;
  /** Identifies the user of `token` or `headers`, if the token does not name the user. */
  user?: string | undefined;
  /**
   * Whether actions without a final response are stored in the browser (IndexedDB), so that the next page
   * of the same server and user sends them, with their idempotency keys and in their order, after a reload
   * or the end of the browser; `false` by default.
   *
   * With it, `send` repeats an action for 23 h unless `patience` is set. A rejection of a stored action of
   * an earlier page is reported to `reportError`. With another user, or none, the stored actions of the
   * former user are removed, and the pending ones are rejected.
   */
  offlineQueue?: boolean;
  /**
   * Whether the tabs with the same `headers` share one connection; `true` by default. A tab that does not
   * share it closes it while it is hidden for more than 30 s.
   */
  isShared?: boolean;
}): void;

/**
 * Returns the form of a text as the id of a session, for texts that are no ids, such as many ids of users:
 * letters, digits, `.`, `_` and `-` stand for themselves, and each other byte in UTF-8 is `~` with two hexadecimal
 * digits (`auth0|5f7c` is `auth0~7C5f7c`). The placeholders of rules (`cart/{sub}`) stand for claims in this form.
 */
export function sessionID(text: string): string;

/** Ends a subscription or a binding. */
export type End = () => void;

/**
 * Values over time. A stream does nothing until it is subscribed to.
 *
 * An error that an operator throws goes to the next `driver`, or else to `reportError`. Unlike in
 * Rx it does not end the stream.
 */
export class Stream<T> {
  constructor(connect: (next: (value: T) => void, fail: (error: unknown) => void) => End);
  subscribe(next: (value: T) => void, fail?: (error: unknown) => void): End;
  map<U>(transform: (value: T) => U): Stream<U>;
  filter(isIncluded: (value: T) => boolean): Stream<T>;
  /** Drops a value that equals the previous one; as JSON, unless a comparison is given. */
  distinct(isSame?: (one: T, other: T) => boolean): Stream<T>;
  /** Emits each value with the previous one, which is `undefined` for the first. */
  changes(): Stream<{ old: T | undefined; new: T }>;
  /** Emits each value with the latest one of another stream, and nothing until that has one. */
  withLatestFrom<U>(other: Stream<U>): Stream<[T, U]>;
  /** Emits a value once no other one has followed for this many milliseconds. */
  debounce(milliseconds: number): Stream<T>;
  /** Emits the first value, and then at most the latest one per interval of milliseconds. */
  throttle(milliseconds: number): Stream<T>;
  /** Replaces an error with a value, or with the result of a function of the error. */
  driver(fallback: T | ((error: unknown) => T)): Stream<T>;
  /** Shows the latest value in the layout pass of the next frame. */
  drive(draw: (value: T) => void): End;
  /** Shows the latest value as a property of an element in the layout pass of the next frame. */
  drive<Name extends string>(target: { [name in Name]: T | any }, name: Name): End;
  /** Sends each value to a reactor, or to a screen of a flow, as an action. */
  to(
    reactor: { send(action: T): Promise<unknown> }, failed?: (error: unknown) => void
  ): End;
}

/** A stream with a current value, which each subscriber receives first unless it is `undefined`. */
export class Value<T> extends Stream<T> {
  constructor(value?: T);
  readonly value: T | undefined;
  set(value: T): void;
}

/**
 * Registers a function that updates a part of the page.
 *
 * All layouts that are requested run once, before the next frame, in the order of registration. A
 * layout that requests itself in 60 consecutive frames is reported to `reportError` and skipped
 * until it is requested from elsewhere.
 */
export function layout(draw: () => void): {
  /** Requests a pass in the next frame. */
  setNeedsLayout(): void;
  /** Runs a requested pass now; does nothing if none is requested. */
  layoutIfNeeded(): void;
  end: End;
};

/** The traits of the page; publishes changes only. */
export const traits: Value<Traits>;

/** Size classes, safe area and the user's preferences. */
export interface Traits {
  /** `compact` below 600 CSS pixels. */
  width: "compact" | "regular";
  /** `compact` below 480 CSS pixels. */
  height: "compact" | "regular";
  /** The insets that `env(safe-area-inset-…)` has, in CSS pixels. */
  safeArea: { top: number; right: number; bottom: number; left: number };
  scheme: "light" | "dark";
  motion: "full" | "reduced";
  pointer: "fine" | "coarse";
  /** The user's preferred language, such as `de-CH`. */
  language: string;
  /** The size of text that the user prefers, in CSS pixels: 16 by default. */
  textSize: number;
}

/** The events of an element. */
export function on<Name extends keyof HTMLElementEventMap>(
  element: EventTarget, type: Name
): Stream<HTMLElementEventMap[Name]>;
export function on(element: EventTarget, type: string): Stream<Event>;

/** The values of an element's property, as the user changes it. */
export function property<T = string>(
  element: HTMLElement, name?: string, type?: string
): Stream<T> & {
  /**
   * Binds both ways: the user's input becomes an action, and the element shows the State.
   *
   * While the user's latest input is not sent, the State does not overwrite it. `throttle` is in
   * milliseconds.
   */
  bind<State, Action>(
    reactor: Reactor<State, Action>,
    ways: { value: (state: State) => T; action: (value: T) => Action; throttle?: number },
    failed?: (error: unknown) => void
  ): End;
};

/**
 * Shows activity: `chat.activity.drive(indicator(element))`.
 *
 * The element is hidden while no effect runs. A `<progress>` shows the progress, if it is known.
 */
export function indicator(element: HTMLElement): (activity: Activity) => void;

/**
 * Shows a list: `todo.state.drive(items(list, ({ items }) => items, { key, make, update }))`.
 *
 * The element of an item stays in the page while the State has an item with its key, and so do its focus, the text
 * that the user is typing into it, and its place for a screen reader. Items with equal keys are distinguished by
 * their order. The list has no other children.
 */
export function items<State, Item, Card extends Element = HTMLElement>(
  list: Element, select: (state: State) => readonly Item[],
  ways: {
    /** Identifies an item; its index by default, for a list to whose end items are added. */
    key?: (item: Item, index: number) => unknown;
    /** Creates the element of a new item. */
    make: (item: Item, index: number) => Card;
    /** Shows an item in its element: after `make`, and when the item has changed. */
    update?: (card: Card, item: Item, index: number) => void;
  }
): (state: State) => void;

/** The number of effects that run, and their progress: from 0 to 1, or `null` if it is unknown. */
export interface Activity {
  running: number;
  progress: number | null;
}

/** The clients that have streams of a session. */
export interface Presence {
  /** The number of streams; tabs that share a connection are one. */
  count: number;
  /** The first clients with a name: that of their credential, or the one of `configure`. */
  subscribers: { name: string; streams: number }[];
  /** The number of further clients with a name. */
  more: number;
}

/** A message of a client to the subscribers of a session. */
export interface Signal {
  /** The name of the sender: that of its credential, or the one of `configure`. */
  from: string | null;
  signal: any;
}

/** Parses JSON; an integer of more than 53 bits becomes a `bigint`, in browsers that support it. */
export function parse(text: string): any;

/** Serializes JSON, a `bigint` with all its digits. */
export function stringify(value: unknown): string;

/** Applies a JSON Patch (RFC 6902). Returns the new document; the given one is not modified. */
export function patched(document: any, operations: readonly object[]): any;

/**
 * An error response of the server (RFC 9457), or a failure to reach it (status 0). The `cause` of the
 * latter is the error of `fetch`, or of the function in `configure({ token })`.
 */
export class Problem extends Error {
  constructor(members: Problem["members"]);
  readonly members: {
    title: string; status?: number; type?: string; detail?: string; [name: string]: any;
  };
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly isPassing: boolean;
  /**
   * Whether the response is not one of the service, but of a proxy, a log-in page of a network or another
   * program. `members` then has nothing of its body.
   */
  readonly isForeign: boolean;
}

/** Sends a request to a path such as `v1/reactors`; throws a `Problem` unless it succeeds. */
export function request(path: string, options?: RequestInit): Promise<Response>;

/** Options of `send`. */
export interface SendOptions<State> {
  /** The expected State, shown until the committed one arrives; `null` for none. */
  optimistic?: ((state: State) => State) | null;
  /** The cursor that the session must have. */
  ifMatch?: string;
  /** How long to wait for its effect, in seconds. */
  wait?: number;
  /**
   * How long to retry, in milliseconds: 60,000 by default, 23 h with an offline queue. The time in which
   * the server executes the action does not count.
   */
  patience?: number;
  /** Cancels the sending. */
  signal?: AbortSignal;
}

/** One session of a reactor, as this page knows it. */
export interface Reactor<State = any, Action = any> {
  readonly name: string;
  readonly session: string;
  readonly key: string;
  /**
   * The latest committed State, with the expected changes of pending actions applied; without a value
   * after the session has ended because the credential has no right to it.
   */
  readonly state: Value<State>;
  readonly connection: Value<"connecting" | "live" | "reconnecting" | "ended">;
  readonly activity: Value<Activity>;
  /**
   * The subscribers, from the first subscription of this page on; at most four values per second.
   */
  readonly presence: Value<Presence>;
  /** The signals of all clients, this page included, from the first subscription of this page on. */
  readonly signals: Stream<Signal>;
  /**
   * Publishes a message to the session's current subscribers, which is stored nowhere. Signals are sent
   * in order, and not again: rejects with a `Problem` if the server did not accept it, or 16 are pending.
   */
  signal(value: any): Promise<void>;
  /** The last committed State and its cursor. */
  readonly confirmed: { state: State; cursor: string } | undefined;
  readonly cursor: string;
  readonly version: number;
  readonly hasEnded: boolean;
  /** The reason for the end; `undefined` if the session was deleted. */
  readonly problem: Problem | undefined;
  /**
   * Sends an action, or an array of them, and resolves to `state` once this page has the commit of the
   * response: with the mutations of the action and of the effects that have ended within `wait`, 5 s by
   * default, and with the expected changes of other actions. If the stream does not deliver the commit
   * within 30 s, it resolves to the State that the page has. Rejects with a `Problem` if the action was
   * rejected, or the session has ended.
   *
   * Actions are sent in order; one whose effects run delays the next by at most 250 ms. A request without
   * a response is repeated and runs once.
   */
  send(action: Action | readonly Action[], options?: SendOptions<State>): Promise<State>;
  /** Creates the session, after its end or where sessions are created explicitly. */
  begin(): Promise<void>;
  /** Ends the subscription of this page; the session itself continues. */
  close(): void;
}

/** A part of a session, or nothing of its State but its presence and activity. */
export interface Part<T = any> {
  readonly key: string;
  /** The JSON Pointer of the part; `none` for nothing of the State. */
  readonly select: string;
  /** The committed value of the part, after each change of it; `null` while the State does not have it. */
  readonly value: Value<T | null>;
  readonly connection: Value<"connecting" | "live" | "reconnecting" | "ended">;
  readonly activity: Value<Activity>;
  /** The subscribers, from the first subscription of this page on; at most four values per second. */
  readonly presence: Value<Presence>;
  /** The cursor of `value`; empty before the first one. */
  readonly cursor: string;
  readonly hasEnded: boolean;
  /** The reason for the end; `undefined` if the session was deleted. */
  readonly problem: Problem | undefined;
  /** Ends the subscription of this page. */
  close(): void;
}

/**
 * A part of a session's State; the same object for every call. A page that shows the numbers of cards of 30
 * boards receives 30 numbers and not 30 boards:
 *
 *   for (const id of boards) part<number>("board", id, "/count").value.subscribe(show);
 *
 * Without `select`, nothing of the State is sent: for presence and activity. Parts share the connection of the page.
 * If the tabs of a browser show several parts of a session, the smallest one that contains all of them is sent.
 *
 * @param select A JSON Pointer (RFC 6901); throws a `TypeError` if it is none.
 */
export function part<T = any>(name: string, session: string, select?: string): Part<T>;

/** A change of a session or global, see Changes in the HTTP contract. */
export interface Change {
  /** The position of the change, from which a reader continues; absent with `reset`. */
  id?: string;
  /** `reset`: changes before those that follow are no longer retained. */
  kind: "began" | "changed" | "ended" | "global" | "damaged" | "reset";
  reactor?: string;
  session?: string;
  /** The name of the global. */
  name?: string;
  /** The cursor after the change. */
  cursor?: string;
  /** The version before the change, and the one after it. */
  from?: number;
  to?: number;
  /** The time in RFC 3339. */
  at?: string;
  /** The principal whose request caused it. */
  by?: string;
  forkedFrom?: { session: string; version: number };
  entries?: any[];
  state?: any;
  /** The damage of the row. */
  detail?: string;
  /** With `reset`: the position of the oldest retained change. */
  oldest?: string;
}

/**
 * The changes of all sessions, in the order of commits, each once:
 *
 *   for await (const change of changes({ after: stored.id })) { … stored.id = change.id; }
 *
 * A stream that breaks is opened again after the last change that the loop has finished. Each loop has a connection of
 * its own. Throws a `Problem` if the server rejects the request, for example `changes-disabled`, or, without `follow`,
 * `cursor-expired`.
 */
export function changes(options?: {
  /** The id of the last change that the caller has, `"0"` for the oldest retained one; by default, the next change. */
  after?: string;
  reactor?: string | readonly string[];
  /** The session of exactly one `reactor`. */
  session?: string;
  /** Adds the log entries of each change, or the State after it. */
  with?: "entries" | "state";
  /** `false` ends after the changes that are retained now, and begins with the oldest unless `after` is set. */
  follow?: boolean;
  /** Ends the loop. */
  signal?: AbortSignal;
}): AsyncGenerator<Change, void, undefined>;

/** A session of a reactor; the same object for every call. */
export function reactor<State = any, Action = any>(
  name: string, session: string,
  options?: {
    /** The expected effect of an action, shown until the committed State arrives. */
    reduce?: (state: State, action: Action) => State;
  }
): Reactor<State, Action>;
