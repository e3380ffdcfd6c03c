// The types of /flow.js, the client of flows for pages; see also /reactor.d.ts.

import type { Problem, Reactor, SendOptions, Value } from "./reactor";

/** A stack of screens in a State, the first screen at the bottom. */
export interface Stack {
  /** The path of the screens above the first; `null` if one of them has no link. */
  path: string | null;
  /** The number of screens that were presented so far. */
  presented: number;
  entries: Entry[];
}

/** One presented screen in a State. */
export interface Entry {
  id: string;
  /** The name of the module, which selects the type of `state`. */
  screen: string;
  /** `root`, `push`, `modal`, `cover` or another value that the clients of the flow agree on. */
  presentation: string;
  animated: boolean;
  onDismissed: unknown;
  state: any;
}

/** One screen, from its presentation to its dismissal; screens of child flows follow their parent's. */
export interface Screen<State = any, Action = any> {
  /** The ids that lead to the screen, such as `2` or `2/1`. */
  readonly key: string;
  readonly id: string;
  /** The name of the module. */
  readonly name: string;
  readonly presentation: string;
  readonly animated: boolean;
  /** The State of the screen. Subscriptions end when the screen is removed. */
  readonly state: Value<State>;
  /** Sends an action to the screen, as `Reactor.send`. */
  send(action: Action, options?: SendOptions<any>): Promise<any>;
  /** Dismisses the screen. It disappears at once, and appears again if the flow rejects that. */
  dismiss(): Promise<void>;
}

/** The client of a flow. */
export interface Flow {
  /** The path of the stack. */
  readonly path: Value<string | null>;
  /** The displayed screens, the first one at the bottom. */
  readonly screens: Value<Screen[]>;
  /** The screen on top. */
  readonly top: Value<Screen>;
  /** Goes to a path. A rejection goes to `failed`. */
  open(path: string): Promise<void>;
  /**
   * Displays the screens in a container: each by the element that the function of its name returns,
   * which is called once per screen. A `modal` is displayed in a `<dialog>`.
   */
  show(container: Element, screens: { [name: string]: (screen: any) => HTMLElement }): void;
  /** Ends the synchronisation with the browser's history and removes the elements. */
  close(): void;
}

/** Options of `flow`. */
export interface FlowOptions {
  /** The stack of a State; `state.stack` by default. Also called for the States of screens. */
  stack?: (state: any) => Stack | undefined;
  /** Wraps an action of the stack; `{ stack: action }` by default. */
  action?: (action: any) => any;
  /**
   * The part of the page's address that has the path: its `hash`, which is the default, or the `path`;
   * `none` leaves the browser's history alone.
   */
  url?: "hash" | "path" | "none";
  /** Receives rejections of navigation; `reportError` by default. */
  failed?: (problem: Problem) => void;
}

/** Displays the screens of a flow, and synchronises them with the browser's history. */
export function flow(reactor: Reactor<any, any>, options?: FlowOptions): Flow;

