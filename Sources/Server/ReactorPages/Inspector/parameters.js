// The parameters of a new session, for reactors that take any.

import { part } from "./elements.js";
import { fieldsOf, fill, jsonOf } from "./fields.js";

/** The fields above “Begin a new session”. */
export class ParameterForm {
  #fields = [];

  /** Builds the fields of a reactor from its description; none if it takes no parameters. */
  open({ parametersSchema, defaultParameters, exampleParameters }) {
    this.#fields = parametersSchema ? fieldsOf(parametersSchema, () => {}, "parameter") : [];
    fill(this.#fields, exampleParameters ?? defaultParameters ?? undefined);
    part["parameter-fields"].replaceChildren(...this.#fields.map(({ field }) => field.element));
    part.parameters.hidden = this.#fields.length === 0;
  }

  close() {
    this.open({});
  }

  /** The body of a request that creates a session; `undefined` without parameters. */
  get body() {
    return this.#fields.length === 0 ? undefined : `{"parameters":${jsonOf(this.#fields)}}`;
  }
}
