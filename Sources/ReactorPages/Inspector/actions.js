// Composes actions: from the examples, from the schema, or as JSON; and sends them.

import { Problem, stringify } from "/reactor.js";
import { copyButton, curl } from "./commands.js";
import { describe, element, part, shortened, versionOf } from "./elements.js";
import { send } from "./requests.js";
import { SavedActions } from "./saved.js";

/** The cases of an action in its schema: `{ name, payload }`, without `payload` for plain names. */
function cases(schema) {
  if (Array.isArray(schema.enum)) return schema.enum.map((name) => ({ name }));
  return (schema.oneOf ?? []).flatMap((form) => {
    if (typeof form.const === "string") return [{ name: form.const }];
    const [entry] = Object.entries(form.properties ?? {});
    return entry ? [{ name: entry[0], payload: entry[1] }] : [];
  });
}

/** The kind of control for a schema: `choice` for an enum, `json` for everything that is not scalar. */
function kind(schema) {
  if (Array.isArray(schema.enum)) return "choice";
  return ["string", "integer", "number", "boolean"].includes(schema.type) ? schema.type : "json";
}

/** A form field for one value of a schema; its `json` is JSON text. */
class Field {
  constructor(label, schema, changed) {
    this.kind = kind(schema);
    const id = `field-${label}`;
    this.control = this.#control(schema);
    this.control.id = id;
    this.control.addEventListener("input", changed);
    this.element = element("div", { class: "field" }, element("label", { for: id }, label), this.control);
  }

  #control(schema) {
    const plain = { autocomplete: "off", autocapitalize: "off", spellcheck: "false" };
    switch (this.kind) {
      case "choice":
        return element("select", {}, ...schema.enum.map((value) =>
          element("option", { value: stringify(value) }, String(value))));
      case "boolean": return element("input", { type: "checkbox" });
      case "integer": return element("input", { ...plain, inputmode: "numeric", value: "1" });
      case "number": return element("input", { ...plain, inputmode: "decimal", value: "1" });
      case "string": return element("input", plain);
      default: {
        const any = element("textarea", { ...plain, rows: "2" });
        any.value = schema.type === "array" ? "[]" : schema.type === "object" ? "{}" : "null";
        return any;
      }
    }
  }

  /** Shows a value. */
  set(value) {
    if (this.kind === "boolean") this.control.checked = value === true;
    else if (this.kind === "string") this.control.value = String(value);
    else this.control.value = stringify(value);
  }

  get json() {
    if (this.kind === "boolean") return String(this.control.checked);
    return this.kind === "string" ? stringify(this.control.value) : this.control.value.trim();
  }
}

/** The section “Actions”. */
export class Composer {
  #session;
  #cases = [];
  #examples = [];
  #fields = [];
  #saved = new SavedActions((action) => this.send(action));

  constructor() {
    part["save-action"].after(copyButton("Copy as curl", () =>
      curl(`${this.#session.address}/actions`, { method: "POST", body: part.action.value })));
    part["action-form"].addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(part.action.value);
    });
    part.case.addEventListener("change", () => this.#choose());
  }

  /** Switches to a session; `description` is the reactor's. */
  open(session, description) {
    const isOther = this.#session?.reactor !== session.reactor;
    this.#session = session;
    part.response.replaceChildren();
    if (!isOther) return;
    this.#saved.open(session.reactor.name);
    const examples = description.exampleActions.map((action) => stringify(action));
    part.examples.replaceChildren(...examples.map((action) => {
      const button = element("button", { type: "button" }, element("code", {}, action));
      button.addEventListener("click", () => this.send(action));
      return button;
    }));
    this.#examples = description.exampleActions;
    this.#cases = cases(description.actionSchema);
    part.case.replaceChildren(...this.#cases.map(({ name }) => element("option", {}, name)));
    part.builder.hidden = this.#cases.length === 0;
    // The last example is usually the one with the most to change.
    const last = description.exampleActions.at(-1);
    const name = typeof last === "string" ? last : Object.keys(last ?? {})[0];
    if (this.#cases.some((one) => one.name === name)) part.case.value = name;
    this.#choose();
  }

  close() {
    this.#session = undefined;
    part.response.replaceChildren();
  }

  /** Builds the fields of the case that is chosen. */
  #choose() {
    const { payload } = this.#cases.find(({ name }) => name === part.case.value) ?? {};
    const compose = () => this.#compose();
    const members = Object.entries(payload?.properties ?? {});
    this.#fields = !payload ? []
      : payload.type === "object" && members.length > 0
        ? members.map(([label, schema]) => ({ label, field: new Field(label, schema, compose) }))
        : [{ field: new Field("value", payload, compose) }];
    part.fields.replaceChildren(...this.#fields.map(({ field }) => field.element));
    const example = this.#examples.find((action) => Object.hasOwn(Object(action), part.case.value));
    for (const { label, field } of this.#fields) {
      const value = example?.[part.case.value];
      const known = label === undefined ? value : value?.[label];
      if (known !== undefined) field.set(known);
    }
    compose();
  }

  /** Composes the JSON from the fields, without rounding numbers. */
  #compose() {
    const name = stringify(part.case.value);
    const members = this.#fields.map(({ label, field }) =>
      label === undefined ? field.json : `${stringify(label)}:${field.json}`);
    const [first] = this.#fields;
    part.action.value = !first ? name
      : first.label === undefined ? `{${name}:${members[0]}}` : `{${name}:{${members.join(",")}}}`;
  }

  /** Sends an action. The server validates the JSON. */
  async send(action) {
    const session = this.#session;
    const label = shortened(action, 60);
    const show = (...content) =>
      session === this.#session && part.response.replaceChildren(...content);
    show("Sending ", element("code", {}, label), "…");
    try {
      const response = await send(`${session.address}/actions`, {
        method: "POST",
        // The stream has the State, and an effect may run for long.
        headers: { "Content-Type": "application/json", Prefer: "return=minimal, wait=1" },
        body: action,
      });
      const cursor = (response.headers.get("ETag") ?? "").replaceAll('"', "");
      show(
        element("code", {}, label),
        response.status === 202
          ? " is accepted and runs."
          : ` is committed${cursor && `, at version ${versionOf(cursor)}`}.`);
    } catch (problem) {
      if (problem instanceof Problem && problem.status === 0) {
        problem.members.detail =
          "It is unknown whether the server received the action. Check the State before you send it again.";
      }
      show(describe(problem));
    }
  }
}
