// The page of operations: the figures of each reactor, and the effects and timers of all sessions.

import { Problem, request, stringify } from "../reactor.js";
import { readable } from "./charts.js";
import { hashOf } from "./catalogue.js";
import { element, part, shortened } from "./elements.js";
import { content } from "./requests.js";
import { pagesOf } from "./sessions.js";

/** How many effects and timers are listed. */
const LISTED = 20;

/** The columns of “Reactors” after the name. */
const COLUMNS = [
  "reactord_sessions", "reactord_subscribers", "reactord_actions_total", "reactord_effects_running",
  "reactord_effect_failures_total", "reactord_timers_fired_total", "reactord_mailbox_waiting",
];

const escaped = (text) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');

/** The values of a metric by the label `reactor`, summed over other labels. */
function byReactor(metrics, name) {
  const totals = new Map();
  const prefix = `${name}{reactor="`;
  for (const [sample, value] of metrics) {
    if (!sample.startsWith(prefix)) continue;
    const reactor = /^((?:[^"\\]|\\.)*)"/.exec(sample.slice(prefix.length))[1];
    totals.set(reactor, (totals.get(reactor) ?? 0) + value);
  }
  return totals;
}

/** Replaces the items of a list, unless they are equal: the user may be reading them. */
function replace(list, items) {
  const key = items.map(({ textContent }) => textContent).join("\n");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  list.hidden = items.length === 0;
  list.replaceChildren(...items);
}

/** A list item with a link to a session. */
function item(reactor, session, ...children) {
  return element("li", {}, element("a", { href: hashOf(reactor, session) }, `${reactor}/${session}`), ...children);
}

const timeOf = (text, label) =>
  element("p", { class: "note" }, element("time", { datetime: text, title: text }, label));

function showLoads(metrics, reactors) {
  const columns = COLUMNS.map((name) => byReactor(metrics, name));
  replace(part.loads, reactors.map(({ name }) => element(
    "tr", {}, element("th", { scope: "row" }, name),
    ...columns.map((values) => element("td", {}, readable(values.get(escaped(name)) ?? 0))))));
}

/** Lists effects that run, of the first 10,000 sessions of each reactor. */
async function showEffects(metrics) {
  const running = byReactor(metrics, "reactord_effects_running");
  const items = [];
  for (const [name, count] of running) {
    if (count === 0 || items.length >= LISTED) continue;
    const enough = Math.min(LISTED, items.length + count);
    for await (const sessions of pagesOf(name)) {
      for (const { id } of sessions.filter(({ effects }) => effects > 0)) {
        if (items.length < enough) items.push(...await effectsOf(name, id));
      }
      if (items.length >= enough) break;
    }
  }
  const total = [...running.values()].reduce((sum, count) => sum + count, 0);
  const shown = items.slice(0, LISTED);
  part["all-effects-note"].textContent = total === 0 ? "Nothing runs."
    : `${readable(total)} ${total === 1 ? "effect runs" : "effects run"}`
      + `${total > shown.length ? `; ${shown.length} of them` : ""}.`;
  replace(part["all-effects"], shown);
}

/** The items of the effects of a session. */
async function effectsOf(name, id) {
  const address = `v1/reactors/${encodeURIComponent(name)}/sessions/${id}/effects?limit=${LISTED}`;
  const { effects } = (await content(await request(address))).value;
  return effects.map(({ action, startedAt, progress }) => item(
    name, id, element("code", {}, action === null ? "an action of the reactor" : shortened(stringify(action), 200)),
    timeOf(startedAt, `since ${new Date(startedAt).toLocaleTimeString("en-GB")}`
      + (progress === null ? "" : `, ${Math.round(progress * 100)} %`))));
}

async function showTimers(metrics) {
  const total = metrics.get("reactord_timers_pending") ?? 0;
  let timers = [];
  if (total > 0) ({ timers } = (await content(await request(`v1/timers?limit=${LISTED}`))).value);
  part["all-timers-note"].textContent = total === 0 ? "No timer is scheduled."
    : `${readable(total)} ${total === 1 ? "timer is" : "timers are"} scheduled`
      + `${total > LISTED ? `; the next ${LISTED}` : ""}.`;
  replace(part["all-timers"], timers.map(({ reactor, session, id, dueAt }) =>
    item(reactor, session, timeOf(dueAt, `${id}, at ${new Date(dueAt).toLocaleString("en-GB")}`))));
}

/** Updates the page after a sample of the metrics; `reactors` are those of the catalogue. */
export async function showOperations(metrics, reactors) {
  showLoads(metrics, reactors);
  for (const [show, note, what] of [
    [showEffects, part["all-effects-note"], "effects"], [showTimers, part["all-timers-note"], "timers"],
  ]) {
    try {
      await show(metrics);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      note.textContent = `The ${what} cannot be read: ${problem.message}`;
    }
  }
}
