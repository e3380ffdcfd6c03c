// The latest errors of effects with their actions, and the quarantine.

import { parse, Problem, request, stringify } from "/reactor.js";
import { hashOf } from "./catalogue.js";
import { describe, element, part, shortened } from "./elements.js";
import { send } from "./requests.js";

/** The interval of updates of a session's errors, in milliseconds. */
const PERIOD = 3_000;

/** How many errors are listed. */
const LISTED = 20;

/** The latest errors of a reactor; none without the right to read them. */
async function failuresOf(name) {
  try {
    const response = await request(`v1/reactors/${encodeURIComponent(name)}/failures`);
    return parse(await response.text()).failures;
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return [];
  }
}

/** A list item with an error; with a link to its session if the reactor is given. */
function item({ session, action, at, by, status, title, detail }, reactor) {
  const place = reactor === undefined ? []
    : [element("a", { href: hashOf(reactor, session) }, `${reactor}/${session}`)];
  const label = action === null ? "an action of more than 4 KiB" : shortened(stringify(action), 200);
  const time = element("time", { datetime: at, title: at }, new Date(at).toLocaleString("en-GB"));
  return element(
    "li", {}, ...place, element("code", {}, label),
    element("p", {}, `${title} (${status})${detail.startsWith(title) ? "" : `: ${detail}`}`),
    element("p", { class: "note" }, time, by === undefined ? "" : ` by ${by}`));
}

/** The list below “Errors” of a session. */
export class SessionErrors {
  #session;

  constructor() {
    setInterval(() => document.hidden || this.refresh(), PERIOD);
  }

  open(session) {
    this.#session = session;
    this.#show([]);
    this.refresh();
  }

  close() {
    this.#session = undefined;
  }

  async refresh() {
    const session = this.#session;
    if (!session) return;
    const failures = await failuresOf(session.reactor.name);
    if (session === this.#session) this.#show(failures.filter((one) => one.session === session.id));
  }

  #show(failures) {
    part["failures-note"].textContent = failures.length === 0 ? "None since the service was started."
      : `${failures.length} since the service was started.`;
    part.failures.hidden = failures.length === 0;
    part.failures.replaceChildren(...failures.slice(0, LISTED).map((one) => item(one)));
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
      this.#known.set(name, { count, failures: await failuresOf(name) });
    }
    const all = [...this.#known].flatMap(([name, { failures }]) => failures.map((one) => [one, name]));
    const latest = all.sort(([one], [other]) => (one.at < other.at ? 1 : -1)).slice(0, LISTED);
    const quarantined = metrics.get("reactord_quarantined_actions") > 0 ? await this.#quarantine() : [];
    // Do not replace lists, which the user may be reading, by equal ones.
    const key = stringify([latest, quarantined]);
    if (key === this.shown) return;
    this.shown = key;
    part["errors-note"].hidden = latest.length > 0;
    part.errors.replaceChildren(...latest.map(([one, name]) => item(one, name)));
    part.errors.hidden = latest.length === 0;
    part["quarantine-part"].hidden = quarantined.length === 0;
    part.quarantine.replaceChildren(...quarantined.map(({ reactor, session, action, at, signal }) => element(
      "li", {}, element("a", { href: hashOf(reactor, session) }, `${reactor}/${session}`),
      element("code", {}, action ?? "the session itself"),
      element("p", { class: "note" }, `${signal}, ${new Date(at).toLocaleString("en-GB")}`))));
  }

  /** The quarantined actions; none without the right to read them. */
  async #quarantine() {
    try {
      return (await (await request("v1/quarantine")).json()).quarantine;
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
