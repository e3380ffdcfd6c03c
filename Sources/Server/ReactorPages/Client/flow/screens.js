// The screens of a stack and of its child flows, in one list.

import { Stream, Value } from "/reactor.js";

/**
 * Lists the screens of a stack. The screens of a child flow replace the entry of the flow.
 *
 * @returns {any[]}
 */
export function list(stack, options, wrap = options.action, prefix = "", outer = undefined) {
  return stack.entries.flatMap((entry, index) => {
    const { id, screen, state } = entry;
    const key = prefix + id;
    const send = (action) => wrap({ send: { to: id, action: { [screen]: action } } });
    // The first screen of a child flow has the presentation and the dismissal of the flow.
    const own = { ...entry, dismissal: wrap({ dismiss: id }) };
    const shown = index === 0 && outer ? { ...outer, id, screen, state } : own;
    const inner = options.stack(state ?? {});
    return inner?.entries
      ? list(inner, options, (action) => send(options.action(action)), `${key}/`, shown)
      : [{
        key, state, create: (reactor, leave) => new Screen(key, shown, reactor, send, leave),
      }];
  });
}

/**
 * One screen of a flow, from its presentation to its dismissal.
 *
 * @implements {Declared}
 */
class Screen {
  #reactor;
  #wrap;
  #leave;
  #value = new Value();
  #ends = new Set();

  constructor(key, entry, reactor, wrap, leave) {
    this.key = key;
    this.id = entry.id;
    this.name = entry.screen;
    this.animated = entry.animated;
    this.presentation = entry.presentation;
    this.dismissal = entry.dismissal;
    this.#reactor = reactor;
    this.#wrap = wrap;
    this.#leave = leave;
    this.state = scoped(this.#value, this.#ends);
  }

  send(action, options) {
    return this.#reactor.send(this.#wrap(action), options);
  }

  dismiss() {
    return this.#leave(this);
  }

  update(state) {
    if (this.#value.value !== state) this.#value.set(state);
  }

  /** Ends the subscriptions to the screen. */
  end() {
    for (const end of this.#ends) end();
    this.#ends.clear();
  }
}

/** A stream whose subscriptions, and those of streams derived from it, are added to a set. */
function scoped(stream, ends) {
  return new Proxy(stream, {
    get(target, name) {
      const member = target[name];
      if (typeof member !== "function") return member;
      return (...values) => {
        const result = member.apply(target, values);
        if (result instanceof Stream) return scoped(result, ends);
        if (typeof result === "function") ends.add(result);
        return result;
      };
    },
  });
}

/** @typedef {import("../../flow").Screen} Declared */
