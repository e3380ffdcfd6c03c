// A JSON value as a tree that is updated in place, with marked changes.
//
// The text of the tree is the JSON, so that it can be read aloud, searched and copied. Only open
// nodes are built, and only the first elements of a long list, so that States can have any size.

import { stringify } from "../reactor.js";
import { element } from "./elements.js";

/** How many members of an object or array are built in one step. */
const PAGE = 100;

/** How many characters of a string are shown before a click. */
const TEXT = 2_000;

/** How many rows are open initially. */
const OPEN_ROWS = 400;

/** How deep the rows are open initially. */
const OPEN_LEVELS = 8;

const isContainer = (value) => typeof value === "object" && value !== null;

/** Whether two values are the same JSON. Patches share unchanged objects, which makes this fast. */
function isSame(one, other) {
  if (one === other) return true;
  if (!isContainer(one) || !isContainer(other) || Array.isArray(one) !== Array.isArray(other)) {
    return false;
  }
  const names = Object.keys(one);
  return names.length === Object.keys(other).length
    && names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]));
}

/** The rows that an update marked; the next one clears them. */
class Marks {
  #rows = [];
  isOn = true;

  clear() {
    for (const row of this.#rows) {
      delete row.dataset.change;
      if (row.classList.contains("ghost")) row.remove();
    }
    this.#rows = [];
  }

  set(row, change) {
    if (!this.isOn) return;
    row.dataset.change = change;
    this.#rows.push(row);
  }

  get count() {
    return this.#rows.length;
  }
}

/** A value, its row, and the rows inside it. */
class Node {
  constructor(name, value, depth, tree) {
    this.name = name;
    this.depth = depth;
    this.tree = tree;
    this.row = element("div", { class: "node" });
    this.comma = element("span", { class: "comma" });
    this.#build(value);
  }

  setIsLast(isLast) {
    const text = isLast ? "" : ",";
    if (this.comma.textContent !== text) this.comma.textContent = text;
  }

  update(value) {
    if (isSame(value, this.value)) {
      this.value = value;
      return;
    }
    const isArray = Array.isArray(value);
    const isAlike = this.details && isContainer(value) && isArray === Array.isArray(this.value)
      && Object.keys(value).length > 0;
    if (!isAlike) {
      this.#build(value);
      this.tree.marks.set(this.row, "changed");
      return;
    }
    const before = this.value;
    this.value = value;
    this.#count();
    if (!this.children || !this.details.open) this.tree.marks.set(this.row, "changed");
    if (!this.children) return;
    if (isArray) this.#updateArray(before, value);
    else this.#updateObject(value);
    this.#finish();
  }

  #build(value) {
    this.value = value;
    this.children = undefined;
    this.details = undefined;
    const label = this.name === undefined ? []
      : [element("span", { class: "name" }, stringify(this.name)), ": "];
    const isEmpty = isContainer(value) && Object.keys(value).length === 0;
    if (!isContainer(value) || isEmpty) {
      this.row.replaceChildren(...label, this.#scalar(value), this.comma);
      return;
    }
    const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
    this.summary = element("summary", {}, ...label, open);
    this.body = element("div", { class: "children" });
    this.details = element("details", {}, this.summary, this.body);
    const size = Object.keys(value).length;
    if (this.depth < OPEN_LEVELS && this.tree.rows + Math.min(size, PAGE) <= OPEN_ROWS) {
      this.details.open = true;
      this.#open();
    }
    this.details.addEventListener("toggle", () => this.#open());
    this.row.replaceChildren(this.details, element("span", { class: "close" }, close), this.comma);
    this.#count();
  }

  #scalar(value) {
    const kind = value === null ? "null" : isContainer(value) ? "empty" : typeof value;
    const text = stringify(value);
    const shown = element("span", { class: `value ${kind}` }, text.slice(0, TEXT));
    if (text.length > TEXT) {
      const rest = (text.length - TEXT).toLocaleString("en");
      const more = element("button", { class: "quiet", type: "button" }, `${rest} more characters`);
      more.addEventListener("click", () => { shown.textContent = text; });
      shown.append("…", more);
    }
    return shown;
  }

  #count() {
    const size = Object.keys(this.value).length;
    this.summary.dataset.count = Array.isArray(this.value)
      ? ` ${size} … ]` : ` ${size} … }`;
  }

  /** Builds the rows inside when the node is opened. */
  #open() {
    if (this.children || !this.details.open) return;
    this.children = [];
    this.more = element("button", { class: "quiet", type: "button" });
    this.more.addEventListener("click", () => {
      this.#extend(this.children.length + PAGE);
      this.#finish();
    });
    this.#extend(PAGE);
    this.#finish();
  }

  #child(key, value) {
    this.tree.rows += 1;
    const child = new Node(Array.isArray(this.value) ? undefined : key, value, this.depth + 1, this.tree);
    child.key = key;
    return child;
  }

  /** Builds rows up to a number. */
  #extend(count) {
    const keys = Object.keys(this.value).slice(this.children.length, count);
    for (const key of keys) {
      const child = this.#child(key, this.value[key]);
      this.children.push(child);
      this.body.append(child.row);
    }
  }

  #updateObject(value) {
    for (const child of this.children.filter(({ key }) => !Object.hasOwn(value, key))) {
      this.#remove(child);
    }
    const known = new Map(this.children.map((child) => [child.key, child]));
    const limit = Math.max(PAGE, this.children.length);
    this.children = Object.keys(value).slice(0, limit).map((key, index) => {
      const old = known.get(key);
      const child = old ?? this.#child(key, value[key]);
      if (old) old.update(value[key]);
      else this.tree.marks.set(child.row, "added");
      this.#place(child, index);
      return child;
    });
  }

  #updateArray(before, value) {
    // Equal elements at both ends are unchanged; those between are paired in order.
    let start = 0;
    const limit = Math.min(before.length, value.length);
    while (start < limit && isSame(before[start], value[start])) start += 1;
    let end = 0;
    while (end < limit - start && isSame(before.at(-1 - end), value.at(-1 - end))) end += 1;
    const built = this.children;
    const paired = Math.min(before.length, value.length) - end;
    const shown = Math.max(PAGE, built.length);
    for (const child of built.slice(paired, before.length - end)) this.#remove(child);
    const shift = before.length - value.length;
    this.children = [];
    for (let index = 0; index < Math.min(value.length, shown); index += 1) {
      const old = index < start || index < paired ? built[index]
        : index >= value.length - end ? built[index + shift] : undefined;
      const child = old ?? this.#child(String(index), value[index]);
      child.key = String(index);
      if (old) old.update(value[index]);
      // An element that existed before, and whose row is built only now, is not marked as added.
      else if (index < value.length - end) this.tree.marks.set(child.row, "added");
      this.children.push(child);
      this.#place(child, index);
    }
    for (const child of built) {
      if (!this.children.includes(child) && !child.row.classList.contains("ghost")) child.row.remove();
    }
  }

  /** Moves a row to its position, if it is not there. */
  #place(child, index) {
    const before = index === 0 ? null : this.childBefore;
    let next = before ? before.nextSibling : this.body.firstChild;
    while (next?.classList?.contains("ghost")) next = next.nextSibling;
    if (next !== child.row) this.body.insertBefore(child.row, next);
    this.childBefore = child.row;
  }

  #remove(child) {
    this.children = this.children.filter((other) => other !== child);
    if (!this.tree.marks.isOn) {
      child.row.remove();
      return;
    }
    child.row.classList.add("ghost");
    child.row.setAttribute("aria-hidden", "true");
    this.tree.marks.set(child.row, "removed");
  }

  #finish() {
    const isArray = Array.isArray(this.value);
    const rest = Object.keys(this.value).length - this.children.length;
    this.children.forEach((child, index) => {
      child.setIsLast(rest === 0 && index === this.children.length - 1);
      if (isArray) child.row.dataset.index = String(index);
    });
    this.more.textContent = `${rest.toLocaleString("en")} more`;
    if (rest > 0) this.body.append(this.more);
    else this.more.remove();
  }
}

/** A tree in an element. */
export class Tree {
  marks = new Marks();
  rows = 0;
  #root;
  #place;

  constructor(place) {
    this.#place = place;
  }

  clear() {
    this.#root = undefined;
    this.#place.replaceChildren();
  }

  /** Shows a value and marks the differences from the last one, if there is one. */
  show(value, isMarked = true) {
    this.marks.clear();
    this.marks.isOn = isMarked;
    if (this.#root) {
      this.rows = 0;
      this.#root.update(value);
      // Do not scroll while the user reads there.
      if (isMarked && !this.#place.matches(":hover, :focus-within")) this.#reveal();
      return;
    }
    this.rows = 0;
    this.#root = new Node(undefined, value, 0, this);
    this.#root.setIsLast(true);
    this.#place.replaceChildren(this.#root.row);
  }

  /** Shows a value and marks the differences from another one. */
  compare(before, after) {
    if (before !== undefined) this.show(before, false);
    this.show(after);
    this.#reveal();
  }

  /** Scrolls the tree, not the page, to the first change. */
  #reveal() {
    const first = this.#place.querySelector("[data-change]");
    if (!first) return;
    const [place, row] = [this.#place.getBoundingClientRect(), first.getBoundingClientRect()];
    if (row.top < place.top || row.top > place.bottom - 24) {
      this.#place.scrollTop += row.top - place.top - place.height / 3;
    }
  }
}
