// The latest errors of effects with their actions, and the quarantine.

import { Problem, request, stringify } from "../reactor.js";
import { hashOf } from "./catalogue.js";
import { describe, element, part, shortened } from "./elements.js";
import { Refresh } from "./refresh.js";
import { content, send } from "./requests.js";

/** The interval of updates of a session's errors, in milliseconds. */
const PERIOD = 3_000;

/** The minimum interval between two requests of them, in milliseconds. */
const PAUSE = 1_000;

/** How many errors are listed. */
const LISTED = 20;

/** The latest errors of a reactor, at most 100; if they cannot be read, none and the problem. */
async function failuresOf(name) {
  try {
    const response = await request(`v1/reactors/${encodeURIComponent(name)}/failures`);
    return { failures: (await content(response)).value.failures };
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return { failures: [], problem };
  }
}

const unreadable = (problem) => `The errors cannot be read: ${problem.message}`;

/** A list item with an error and buttons; with a link to its session if the reactor is given. */
function item({ session, action, at, by, status, title, detail }, reactor, ...buttons) {
  const place = reactor === undefined ? []
    : [element("a", { href: hashOf(reactor, session) }, `${reactor}/${session}`)];
  const label = action === null ? "an action of more than 4 KiB" : shortened(stringify(action), 200);
  const time = element("time", { datetime: at, title: at }, new Date(at).toLocaleString("en-GB"));
  return element(
    "li", {}, ...place, element("code", {}, label),
    element("p", {}, `${title} (${status})${detail.startsWith(title) ? "" : `: ${detail}`}`),
    element("p", { class: "note" }, time, by === undefined ? "" : ` by ${by}`), ...buttons);
}

/** The list below “Errors” of a session. */
export class SessionErrors {
  #session;
  #shown = "";
  #reading = new Refresh(PAUSE, () => this.#read());

  constructor() {
    setInterval(() => document.hidden || this.refresh(), PERIOD);
  }

  open(session) {
    this.#session = session;
    this.#show([], "");
    this.refresh();
  }

  close() {
    this.#session = undefined;
  }

  /** Requests the list, after an effect has begun or ended. */
  refresh() {
    this.#reading.request();
  }

  async #read() {
    const session = this.#session;
    if (!session) return;
    const { failures, problem } = await failuresOf(session.reactor.name);
    if (session !== this.#session) return;
    const own = failures.filter((one) => one.session === session.id);
    const verb = own.length > 1 ? "are" : "is";
    this.#show(
      own, problem ? unreadable(problem)
        : `${own.length || "None"} of the reactor's latest 100 errors ${verb} from this session.`);
  }

  #show(failures, note) {
    part["failures-note"].textContent = note;
    // Do not replace a button that has the focus by an equal one.
    const key = stringify([this.#session?.address, failures]);
    if (key === this.#shown) return;
    this.#shown = key;
    part.failures.hidden = failures.length === 0;
    part.failures.replaceChildren(
      ...failures.slice(0, LISTED).map((one) => item(one, undefined, ...this.#buttons(one))));
  }

  /** Buttons that run the action of a stored failure again, and that remove the failure. */
  #buttons({ id, action }) {
    const session = this.#session;
    if (id === undefined) return [];
    return [["Run again", "POST"], ["Remove", "DELETE"]].map(([label, method]) => {
      const button = element("button", { class: "quiet", type: "button" }, label);
      button.setAttribute("aria-label", `${label}: ${shortened(stringify(action), 60)}`);
      button.addEventListener("click", async () => {
        try {
          await send(`${session.address}/failures/${encodeURIComponent(id)}`, { method });
          this.refresh();
        } catch (problem) {
          if (session === this.#session) part["failures-note"].replaceChildren(describe(problem));
        }
      });
      return button;
    });
  }
}

/** The section “Errors” of the start page. */
export class Errors {
  /** The errors of each reactor, and their number according to the metrics. */
  #known = new Map();

  constructor() {
    part.permit.addEventListener("click", () => this.#permit());
  }

  /** Updates the section after a sample of the metrics. */
  async update(metrics) {
    for (const [sample, count] of metrics) {
      const name = /^reactord_effect_failures_total\{reactor="([^"]*)",stage="mutate"\}$/.exec(sample)?.[1];
      if (name === undefined || count === 0 || this.#known.get(name)?.count === count) continue;
      const { failures, problem } = await failuresOf(name);
      // After a problem that can pass, the next sample requests the errors again.
      this.#known.set(name, { count: problem?.isPassing ? undefined : count, failures, problem });
    }
    const problem = [...this.#known.values()].find((known) => known.problem)?.problem;
    const all = [...this.#known].flatMap(([name, { failures }]) => failures.map((one) => [one, name]));
    const latest = all.sort(([one], [other]) => (one.at < other.at ? 1 : -1)).slice(0, LISTED);
    const quarantined = metrics.get("reactord_quarantined_actions") > 0 ? await this.#quarantine() : [];
    // Do not replace lists, which the user may be reading, by equal ones.
    const key = stringify([latest, quarantined, problem?.message]);
    if (key === this.shown) return;
    this.shown = key;
    part["errors-note"].hidden = latest.length > 0 && !problem;
    part["errors-note"].textContent =
      problem ? unreadable(problem) : "No effect has failed since the service was started.";
    part.errors.replaceChildren(...latest.map(([one, name]) => item(one, name)));
    part.errors.hidden = latest.length === 0;
    part["quarantine-part"].hidden = quarantined.length === 0;
    part.quarantine.replaceChildren(...quarantined.map(({ reactor, session, action, at, signal }) => element(
      "li", {}, session === null ? reactor : element("a", { href: hashOf(reactor, session) }, `${reactor}/${session}`),
      element("code", {}, action ?? (session === null ? "the reactor itself" : "the session itself")),
      element("p", { class: "note" }, `${signal}, ${new Date(at).toLocaleString("en-GB")}`))));
  }

  /** The quarantined actions; none without the right to read them. */
  async #quarantine() {
    try {
      return (await content(await request("v1/quarantine"))).value.quarantine;
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      return [];
    }
  }

  async #permit() {
    try {
      await send("v1/quarantine", { method: "DELETE" });
      part["quarantine-part"].hidden = true;
      part["errors-title"].focus();
    } catch (problem) {
      part["quarantine-problem"].replaceChildren(describe(problem));
    }
  }
}
