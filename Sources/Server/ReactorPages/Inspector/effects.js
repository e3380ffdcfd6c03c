// The running effects, each with its action, its progress and a button that cancels it.

import { indicator, stringify } from "../reactor.js";
import { describe, element, part, shortened } from "./elements.js";
import { Refresh } from "./refresh.js";
import { read, send } from "./requests.js";

/** The minimum interval between two requests of the list, in milliseconds. */
const PAUSE = 500;

/** The list below “Effects”. */
export class Effects {
  #session;
  #rows = new Map();
  #showAll = indicator(part.progress);
  #reading = new Refresh(PAUSE, () => this.#read());

  /** Switches to a session. */
  open(session) {
    this.#session = session;
    this.#show([]);
  }

  close() {
    this.open(undefined);
  }

  /** Shows the number of effects, and requests the list. */
  set(activity) {
    const { running, progress } = activity;
    const share = progress === null ? "" : `, ${Math.round(progress * 100)} %`;
    this.#showAll(activity);
    part.effects.textContent = running === 0 ? "Nothing runs."
      : `${running} ${running === 1 ? "effect runs" : "effects run"}${share}.`;
    if (running === 0) this.#show([]);
    else this.#reading.request();
  }

  async #read() {
    const session = this.#session;
    if (!session) return;
    try {
      const { value, next } = await read(`${session.address}/effects`);
      // The effects may have ended since the request.
      const isOver = session.live.activity.value.running === 0;
      if (session === this.#session) {
        this.#show(isOver ? [] : value.effects, !isOver && next !== undefined);
      }
    } catch (problem) {
      if (session === this.#session) part["effects-problem"].replaceChildren(describe(problem));
    }
  }

  #show(effects, hasMore = false) {
    part["effects-problem"].replaceChildren();
    const ids = new Set(effects.map(({ id }) => id));
    for (const [id, { row }] of this.#rows) {
      if (ids.has(id)) continue;
      this.#rows.delete(id);
      const hadFocus = row.contains(document.activeElement);
      row.remove();
      // Without a new focus, the keyboard would start at the beginning of the page.
      if (hadFocus) (part.running.querySelector("button") ?? part.effects).focus();
    }
    for (const effect of effects) {
      if (!this.#rows.has(effect.id)) this.#add(effect);
      const { bar } = this.#rows.get(effect.id);
      bar.hidden = effect.progress === null;
      if (effect.progress !== null) bar.value = effect.progress;
    }
    part.running.hidden = effects.length === 0;
    part["effects-more"].hidden = !hasMore;
  }

  #add({ id, action, startedAt }) {
    const session = this.#session;
    const label = action === null ? "an action of the reactor" : shortened(stringify(action), 60);
    const bar = element("progress", { "aria-label": `Progress of ${label}`, max: "1" });
    const button = element("button", { class: "quiet", type: "button" }, "Cancel");
    button.setAttribute("aria-label", `Cancel: ${label}`);
    button.addEventListener("click", async () => {
      try {
        await send(`${session.address}/effects/${encodeURIComponent(id)}`, { method: "DELETE" });
        if (session === this.#session) this.#reading.request();
      } catch (problem) {
        if (session === this.#session) part["effects-problem"].replaceChildren(describe(problem));
      }
    });
    const time = element(
      "time", { datetime: startedAt, title: startedAt },
      `since ${new Date(startedAt).toLocaleTimeString("en-GB")}`);
    const row = element(
      "li", {}, element("div", {}, element("code", {}, label), time, bar), button);
    part.running.append(row);
    this.#rows.set(id, { row, bar });
  }
}
