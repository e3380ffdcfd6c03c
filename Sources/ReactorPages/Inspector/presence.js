// The subscribers of a session, by their names.

import { element, part, shortened } from "./elements.js";

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
}
