// Streams of values, a small subset of Rx.

import { isEqual } from "./json.js";
import { layout } from "./layout.js";

/**
 * Values over time. A stream does nothing until it is subscribed to.
 *
 * An error that an operator throws goes to the next `driver`, or else to `reportError`. Unlike in
 * Rx it does not end the stream.
 *
 * @template T
 * @implements {Declared<T>}
 */
export class Stream {
  #connect;

  /** @param connect Receives `next` and `fail`. Returns a function that ends the subscription. */
  constructor(connect) {
    this.#connect = connect;
  }

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

  filter(isIncluded) {
    return new Stream((next, fail) => this.#each((value) => isIncluded(value) && next(value), fail));
  }

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

  changes() {
    return new Stream((next, fail) => {
      let last;
      return this.#each((value) => {
        const change = { old: last, new: value };
        last = value;
        next(change);
      }, fail);
    });
  }

  withLatestFrom(other) {
    return new Stream((next, fail) => {
      let latest;
      const ends = [
        other.subscribe((value) => { latest = [value]; }, fail),
        this.#each((value) => latest && next([value, latest[0]]), fail),
      ];
      return () => ends.forEach((end) => end());
    });
  }

  debounce(milliseconds) {
    return new Stream((next, fail) => {
      let timer;
      const end = this.#each((value) => {
        clearTimeout(timer);
        timer = setTimeout(next, milliseconds, value);
      }, fail);
      return () => {
        clearTimeout(timer);
        end();
      };
    });
  }

  throttle(milliseconds) {
    return new Stream((next, fail) => {
      let timer;
      let pending = [];
      const emit = () => {
        timer = pending.length && setTimeout(emit, milliseconds);
        for (const value of pending.splice(0)) next(value);
      };
      const end = this.#each((value) => {
        pending = [value];
        if (!timer) emit();
      }, fail);
      return () => {
        clearTimeout(timer);
        end();
      };
    });
  }

  driver(fallback) {
    return new Stream((next) =>
      this.subscribe(next, (error) =>
        next(typeof fallback === "function" ? fallback(error) : fallback)));
  }

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
}

/** The activity of a session without effects. */
export const idle = { running: 0, progress: null };

/** The presence of a session without subscribers. */
export const empty = { count: 0, subscribers: [], more: 0 };

/**
 * A stream with a current value, which each subscriber receives first unless it is `undefined`.
 *
 * @template T
 * @extends {Stream<T>}
 * @implements {DeclaredValue<T>}
 */
export class Value extends Stream {
  #value;
  #observers;

  /** @param demand Called before each subscription. */
  constructor(value, demand = () => {}) {
    const observers = new Set();
    super((next) => {
      const observer = { next };
      demand();
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

  /** Removes the value; subscribers receive the next one. */
  clear() {
    this.#value = undefined;
  }

  set(value) {
    this.#value = value;
    for (const { next } of [...this.#observers]) next(value);
  }
}

/**
 * @template T
 * @typedef {import("../reactor").Stream<T>} Declared
 */
/**
 * @template T
 * @typedef {import("../reactor").Value<T>} DeclaredValue
 */
