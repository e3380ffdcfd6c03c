// The globals of the host, viewed and set.

import { parse, Problem, stringify } from "../reactor.js";
import { describe, element, part, shortened } from "./elements.js";
import { content, read, send } from "./requests.js";

/** Checks JSON before it is sent; the server validates it against the type. */
function checked(text) {
  try {
    parse(text);
    return text;
  } catch (error) {
    throw new Problem({ title: "Not JSON", detail: error.message });
  }
}

/** A list item with a global: its value, and a form that sets another one. */
function item({ name }) {
  const path = `v1/globals/${encodeURIComponent(name)}`;
  const id = `global-${name}`;
  const value = element("code", {}, "…");
  const field = element("textarea", { id, rows: "3", spellcheck: "false", required: "" });
  const result = element("div", { "aria-live": "polite" });
  const edit = element("button", { class: "quiet", type: "button", "aria-expanded": "false" }, "Edit");
  edit.setAttribute("aria-label", `Edit: ${name}`);
  const form = element(
    "form", { hidden: "" }, element("label", { for: id }, `New value of ${name}, as JSON`), field,
    element("button", { class: "main" }, "Set"));
  const show = (text) => {
    value.textContent = shortened(text, 300);
    if (form.hidden) field.value = text;
  };
  const load = async () => {
    try {
      show(stringify((await read(path)).value));
    } catch (problem) {
      result.replaceChildren(describe(problem));
    }
  };
  edit.addEventListener("click", () => {
    form.hidden = !form.hidden;
    edit.setAttribute("aria-expanded", String(!form.hidden));
    if (!form.hidden) field.focus();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      const response = await send(path, {
        method: "PUT", headers: { "Content-Type": "application/json" }, body: checked(field.value),
      });
      form.hidden = true;
      edit.setAttribute("aria-expanded", "false");
      show(stringify((await content(response)).value));
      result.replaceChildren("Set.");
      edit.focus();
    } catch (problem) {
      result.replaceChildren(describe(problem));
    }
  });
  load();
  return element(
    "li", {}, element("div", { class: "row" }, element("strong", {}, name), value, edit), form, result);
}

/** Lists the globals in the section “Globals”, which is hidden if there are none. */
export async function showGlobals() {
  try {
    const { globals } = (await read("v1/globals")).value;
    part["globals-panel"].hidden = globals.length === 0;
    part.globals.replaceChildren(...globals.map(item));
  } catch (problem) {
    // A token for certain reactors cannot read globals.
    part["globals-panel"].hidden = problem.status === 403;
    part.globals.replaceChildren(element("li", {}, describe(problem)));
  }
}

part["refresh-globals"].addEventListener("click", showGlobals);
