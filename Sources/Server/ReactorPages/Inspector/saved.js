// Actions that the user has saved, per reactor, in this browser.

import { element, part } from "./elements.js";

/** How many actions are saved per reactor; the oldest is dropped. */
const LIMIT = 30;

/** The list of saved actions below the examples. */
export class SavedActions {
  #reactor = "";
  #send;

  /** @param send Sends an action, given as JSON text. */
  constructor(send) {
    this.#send = send;
    part["save-action"].addEventListener("click", () => {
      const action = part.action.value.trim();
      if (action) this.#store([...this.#load().filter((other) => other !== action), action]);
    });
  }

  /** Switches to a reactor. */
  open(reactor) {
    this.#reactor = reactor;
    this.#show();
  }

  get #key() {
    return `reactord.actions.${this.#reactor}`;
  }

  #load() {
    try {
      const actions = JSON.parse(localStorage.getItem(this.#key) ?? "[]");
      return Array.isArray(actions) ? actions.filter((action) => typeof action === "string") : [];
    } catch {
      return [];
    }
  }

  #store(actions) {
    try {
      localStorage.setItem(this.#key, JSON.stringify(actions.slice(-LIMIT)));
    } catch {
      part.response.replaceChildren("The browser does not permit to save actions.");
    }
    this.#show();
  }

  #show() {
    const actions = this.#load();
    part.saved.hidden = actions.length === 0;
    part.saved.replaceChildren(...actions.map((action) => {
      const use = element("button", { type: "button" }, element("code", {}, action));
      use.addEventListener("click", () => this.#send(action));
      const remove = element("button", { class: "quiet", type: "button" }, "Remove");
      remove.setAttribute("aria-label", `Remove: ${action}`);
      remove.addEventListener("click", () => {
        this.#store(this.#load().filter((other) => other !== action));
        part["save-action"].focus();
      });
      return element("li", {}, use, remove);
    }));
  }
}
