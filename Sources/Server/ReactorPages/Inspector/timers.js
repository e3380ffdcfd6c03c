// The timers of a session, each with its time, its action and a button that removes it.

import { stringify } from "../reactor.js";
import { describe, element, part, shortened } from "./elements.js";
import { Refresh } from "./refresh.js";
import { read, send } from "./requests.js";

/** The minimum interval between two requests of the list, in milliseconds. */
const PAUSE = 1000;

/** The list below “Timers”. */
export class Timers {
  #session;
  #reading = new Refresh(PAUSE, () => this.#read());

  /** Switches to a session; its first State requests the list. */
  open(session) {
    this.#session = session;
    this.#show([]);
  }

  close() {
    this.open(undefined);
  }

  /** Requests the list, after the State, and with it possibly the timers, has changed. */
  refresh() {
    this.#reading.request();
  }

  async #read() {
    const session = this.#session;
    if (!session) return;
    try {
      const { value, next } = await read(`${session.address}/timers`);
      if (session === this.#session) this.#show(value.timers, next !== undefined);
    } catch (problem) {
      if (session !== this.#session) return;
      part.timers.textContent = "The timers cannot be read.";
      part["timers-problem"].replaceChildren(describe(problem));
    }
  }

  /** Cancels a pending request: the session has ended and has no timers. */
  end() {
    this.#reading.cancel();
    this.#show([]);
  }

  #show(timers, hasMore = false) {
    part["timers-problem"].replaceChildren();
    part.timers.textContent = hasMore ? `More than ${timers.length} timers are scheduled.`
      : timers.length === 0 ? "No timer is scheduled."
      : `${timers.length} ${timers.length === 1 ? "timer is" : "timers are"} scheduled.`;
    const hadFocus = part.scheduled.contains(document.activeElement);
    part.scheduled.replaceChildren(...timers.map((timer) => this.#row(timer)));
    part.scheduled.hidden = timers.length === 0;
    // Without a new focus, the keyboard would start at the beginning of the page.
    if (hadFocus) (part.scheduled.querySelector("button") ?? part.timers).focus();
  }

  #row({ id, action, dueAt, every, quarantined }) {
    const session = this.#session;
    const label = shortened(stringify(action), 60);
    const button = element("button", { class: "quiet", type: "button" }, "Remove");
    button.setAttribute("aria-label", `Remove the timer ${id}`);
    button.addEventListener("click", async () => {
      try {
        await send(`${session.address}/timers/${encodeURIComponent(id)}`, { method: "DELETE" });
        if (session === this.#session) this.refresh();
      } catch (problem) {
        if (session === this.#session) part["timers-problem"].replaceChildren(describe(problem));
      }
    });
    const time = element(
      "time", { datetime: dueAt, title: dueAt },
      `${id}, at ${new Date(dueAt).toLocaleString("en-GB")}`
        + (every === null ? "" : `, then every ${every} s`));
    const mark = quarantined
      ? [element("span", { class: "note" }, "Quarantined: its action has crashed the service.")] : [];
    return element("li", {}, element("div", {}, element("code", {}, label), time, ...mark), button);
  }
}
