// Composes actions: from the examples, from the schema, or as JSON; and sends them.

import { Problem, stringify } from "../reactor.js";
import { copyButton, curl } from "./commands.js";
import { describe, element, part, shortened, versionOf } from "./elements.js";
import { fieldsOf, fill, jsonOf } from "./fields.js";
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
    // The last example usually has the most fields to change.
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
    this.#fields = !payload ? [] : fieldsOf(payload, compose);
    part.fields.replaceChildren(...this.#fields.map(({ field }) => field.element));
    const example = this.#examples.find((action) => Object.hasOwn(Object(action), part.case.value));
    fill(this.#fields, example?.[part.case.value]);
    compose();
  }

  /** Composes the JSON from the fields, without rounding numbers. */
  #compose() {
    const name = stringify(part.case.value);
    part.action.value = this.#fields.length === 0 ? name : `{${name}:${jsonOf(this.#fields)}}`;
  }

  /** Sends an action. The server validates the JSON. */
  async send(action) {
    const session = this.#session;
    const label = shortened(action, 60);
    const show = (...content) =>
      session === this.#session && part.response.replaceChildren(...content);
    show("Sending ", element("code", {}, label), "…");
    part["state-note"].hidden = true;
    try {
      const response = await send(`${session.address}/actions`, {
        method: "POST",
        // The stream delivers the State, and an effect can run for a long time.
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
