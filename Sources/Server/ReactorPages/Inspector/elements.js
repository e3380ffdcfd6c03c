// Shared by the parts of the inspector: elements, problems and addresses.
//
// Data of the server becomes text, never HTML.

import { Problem } from "../reactor.js";

/** The elements of the page by their ids. */
export const part = Object.fromEntries(
  Array.from(document.querySelectorAll("[id]"), (element) => [element.id, element]));

/** Creates an element. Children that are strings become text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** An element that describes a problem. */
export function describe(problem, ...more) {
  if (!(problem instanceof Problem)) throw problem;
  const { type, title } = problem.members;
  const detail = problem.members.detail
    ?? (problem.status === 0 ? "Check that it is running and reachable from here." : undefined);
  const facts = element("dl");
  for (const name of ["pointer", "expected", "offset", "index"]) {
    const value = problem.members[name];
    if (value === undefined || value.length === 0) continue;
    const text = Array.isArray(value) ? value.join(", ") : String(value);
    facts.append(element("dt", {}, name), element("dd", {}, element("code", {}, text)));
  }
  const box = element("div", { class: "problem" }, element("strong", {}, title));
  if (detail) box.append(element("p", {}, detail));
  if (facts.hasChildNodes()) box.append(facts);
  if (typeof type === "string" && type.startsWith("/problems/")) {
    box.append(element("a", { href: addressOf(type.slice(1)) }, "About this problem"));
  }
  box.append(...more);
  return box;
}

/** The address of a path of the service, such as `v1/reactors`. */
export const addressOf = (path) => new URL(path, new URL("..", import.meta.url)).href;

/** The first characters of a text. */
export function shortened(text, length) {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The version in a cursor, `{epoch}-{version}`. */
export function versionOf(cursor) {
  return Number(cursor.slice(cursor.lastIndexOf("-") + 1));
}

/** The path in `Link: <…>; rel="next"`, such as `v1/changes?after=…`. */
export function nextPage(response) {
  const link = /<[^>]*?\/(v1\/[^>]*)>\s*;\s*rel="?next"?/.exec(response.headers.get("Link") ?? "");
  return link?.[1];
}
