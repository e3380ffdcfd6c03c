// The subscribers of a session, by their names, and the signals between them.

import { stringify } from "../reactor.js";
import { element, part, shortened } from "./elements.js";

/** The number of signals that remain visible. */
const SIGNALS = 20;

/** The list below “Subscribers”. */
export class Subscribers {
  /** Shows a presence; `undefined` for none. */
  show(presence) {
    const { count, subscribers, more } = presence ?? { count: 0, subscribers: [], more: 0 };
    part.subscribers.textContent = count === 0 ? "Nothing subscribes."
      : `${count} ${count === 1 ? "stream shows" : "streams show"} this session.`;
    part.names.replaceChildren(...subscribers.map(({ name, streams }) => element(
      "li", {}, shortened(name, 40), ...(streams === 1 ? [] : [element("span", {}, ` × ${streams}`)]))));
    if (more > 0) part.names.append(element("li", {}, `and ${more} more`));
    part.names.hidden = subscribers.length === 0;
  }

  /** Shows a signal above the earlier ones. */
  add({ from, signal }) {
    part.signals.prepend(element(
      "li", {}, element("span", {}, `${from === null ? "anonymous" : shortened(from, 40)} `),
      element("code", {}, shortened(stringify(signal), 100))));
    while (part.signals.children.length > SIGNALS) part.signals.lastElementChild.remove();
    part["signals-note"].hidden = true;
    part.signals.hidden = false;
  }

  /** Removes the subscribers and the signals of a session. */
  close() {
    this.show(undefined);
    part.signals.replaceChildren();
    part.signals.hidden = true;
    part["signals-note"].hidden = false;
  }
}
