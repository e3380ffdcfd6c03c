// The reactors, and the addresses of their sessions.

import { element, part } from "./elements.js";

export const SESSION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;
export const SESSION_ID_RULE =
  "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ - and neither . nor .. itself.";

/** The session that a reactor without sessions opens with. */
export const DEFAULT_SESSION = "demo";

/** The address of a session in the hash. */
export const hashOf = (name, id) => `#/${encodeURIComponent(name)}/${id}`;

/** The address of a reactor in the hash: it opens the session that was active last. */
export const hashOfReactor = (name) => `#/${encodeURIComponent(name)}`;

/** Lists the reactors. */
export function showReactors(reactors) {
  part.reactors.replaceChildren(...reactors.map(({ name, summary }) =>
    element(
      "li", {},
      element(
        "a", { href: hashOfReactor(name), "data-sign": [...name][0].toUpperCase() },
        element("strong", {}, name), element("span", {}, summary)))));
}
