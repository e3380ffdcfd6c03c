// Form fields for the values of a JSON Schema.

import { stringify } from "../reactor.js";
import { element } from "./elements.js";

/** The kind of control for a schema: `choice` for an enum, `json` for everything that is not scalar. */
function kind(schema) {
  if (Array.isArray(schema.enum)) return "choice";
  return ["string", "integer", "number", "boolean"].includes(schema.type) ? schema.type : "json";
}

/** A form field for one value of a schema; its `json` is JSON text. */
class Field {
  constructor(label, schema, changed, prefix) {
    this.kind = kind(schema);
    const id = `${prefix}-${label}`;
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

/**
 * The fields of a value: one per member of an object, `{ label, field }`, or one without a label.
 *
 * `changed` is called after each input; `prefix` distinguishes the ids of two forms.
 */
export function fieldsOf(schema, changed, prefix = "field") {
  const members = Object.entries(schema.properties ?? {});
  return schema.type === "object" && members.length > 0
    ? members.map(([label, inner]) => ({ label, field: new Field(label, inner, changed, prefix) }))
    : [{ field: new Field("value", schema, changed, prefix) }];
}

/** Shows an example in the fields. */
export function fill(fields, example) {
  for (const { label, field } of fields) {
    const known = label === undefined ? example : example?.[label];
    if (known !== undefined) field.set(known);
  }
}

/** The JSON text of the fields' value, without rounding numbers. */
export function jsonOf(fields) {
  const [first] = fields;
  if (first.label === undefined) return first.field.json;
  return `{${fields.map(({ label, field }) => `${stringify(label)}:${field.json}`).join(",")}}`;
}
