// The screens of a flow above the tree of its State.

import { element } from "./elements.js";

const isStack = (value) => Array.isArray(value?.entries) && value.entries.length > 0
  && value.entries.every((entry) => typeof entry?.screen === "string" && "state" in entry);

/** The member of a State that is a stack of screens, if there is one. */
const stackOf = (state) => typeof state === "object" && state !== null
  ? Object.values(state).find(isStack) : undefined;

/** The rows of a stack; those of a child flow are inside the row of its entry. */
const rows = (stack) => stack.entries.map((entry) => {
  const child = stackOf(entry.state);
  const details = entry.presentation === "root" ? entry.id : `${entry.id} · ${entry.presentation}`;
  return element(
    "li", {}, entry.screen, " ", element("small", {}, details),
    ...(child ? [element("ol", {}, ...rows(child))] : []));
});

/** Shows the screens of a State in a list, the first one first; hides it for any other State. */
export function showScreens(place, state) {
  const stack = stackOf(state);
  place.hidden = stack === undefined;
  place.replaceChildren(...(stack ? rows(stack) : []));
  if (typeof stack?.path === "string") {
    place.append(element("li", { class: "path" }, element("code", {}, stack.path)));
  }
}
