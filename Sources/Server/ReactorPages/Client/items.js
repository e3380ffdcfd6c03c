// Lists: one element per item, which stays while the item does.

import { isEqual } from "./json.js";

/**
 * Shows a list: `todo.state.drive(items(list, ({ items }) => items, { key, make, update }))`.
 *
 * @type {typeof import("../reactor").items}
 */
export function items(list, select, { key = (_, index) => index, make, update = () => {} }) {
  // The shown items by their keys; those with equal keys in their order.
  let shown = new Map();
  return (state) => {
    const former = shown;
    shown = new Map();
    const elements = [...select(state)].flatMap((item, index) => {
      try {
        const name = key(item, index);
        const entry = former.get(name)?.shift() ?? { element: make(item, index) };
        if (!shown.has(name)) shown.set(name, []);
        shown.get(name).push(entry);
        if (!("item" in entry && isEqual(entry.item, item))) update(entry.element, item, index);
        entry.item = item;
        return [entry.element];
      } catch (error) {
        reportError(error);
        return [];
      }
    });
    for (const entries of former.values()) for (const { element } of entries) element.remove();
    // An element that is moved loses the focus: the others are placed around the one that has it.
    const fixed = elements.findIndex((element) => element.contains(document.activeElement));
    if (fixed >= 0 && elements[fixed].parentNode === list) {
      place(list, elements.slice(0, fixed), elements[fixed]);
      place(list, elements.slice(fixed + 1), null);
    } else {
      place(list, elements, null);
    }
  };
}

/** Places elements in their order before another one; those that stand there already are not moved. */
function place(list, elements, end) {
  for (const element of elements.reverse()) {
    if (element.parentNode !== list || element.nextSibling !== end) list.insertBefore(element, end);
    end = element;
  }
}
