// The inspector: the reactors of this host, and one session, live and at any past version.
//
// It uses the public interface only, through /reactor.js.

import { layout, Problem, reactor as follow, stringify } from "../reactor.js";
import { needsToken } from "../token.js";
import { showAbout } from "./about.js";
import { askForToken, start as startAccess } from "./access.js";
import { Composer } from "./actions.js";
import { DEFAULT_SESSION, hashOf, SESSION_ID, SESSION_ID_RULE, showReactors } from "./catalogue.js";
import { Charts } from "./charts.js";
import { commandLine, sessionCommands } from "./commands.js";
import { Effects } from "./effects.js";
import { addressOf, describe, element, part, versionOf } from "./elements.js";
import { SessionErrors } from "./errors.js";
import { showGlobals } from "./globals.js";
import { Health } from "./health.js";
import { ParameterForm } from "./parameters.js";
import { Subscribers } from "./presence.js";
import { read, send } from "./requests.js";
import { showScreens } from "./screens.js";
import { latestSession, Sessions } from "./sessions.js";
import { Timeline } from "./timeline.js";
import { Timers } from "./timers.js";
import { Tree } from "./tree.js";

const STATUS = {
  connecting: "Connecting…", live: "Live", reconnecting: "Reconnecting…", ended: "Ended",
};

const tree = new Tree(part.state);
const composer = new Composer();
const sessions = new Sessions();
const charts = new Charts();
const effects = new Effects();
const timers = new Timers();
const subscribers = new Subscribers();
const parameters = new ParameterForm();
const health = new Health();
const errors = new SessionErrors();
const timeline = new Timeline(showMoment, fork);

/** The open session: `{ reactor, id, address, live, ends }`, if there is one. */
let open;

/** The hosted reactors, as the catalogue lists them. */
let reactors;

/** The hash of the page of operations; the hashes of reactors begin with a slash. */
const OPERATIONS = "#operations";

// MARK: State

/** The past version that is shown: `{ before, state, version, base }`; `undefined` for the latest. */
let moment;
let lastEpoch;

const statePass = layout(() => {
  if (!open) return;
  if (moment) {
    tree.compare(moment.before, moment.state);
    showScreens(part.screens, moment.state);
    part.version.replaceChildren(moment.base === undefined ? `version ${moment.version}, as it was`
      : `version ${moment.version}, compared with version ${moment.base}`);
    return;
  }
  const confirmed = open.live.confirmed;
  if (!confirmed) return;
  tree.show(confirmed.state);
  showScreens(part.screens, confirmed.state);
  const { cursor } = confirmed;
  part.version.replaceChildren(`version ${versionOf(cursor)} · cursor `, element("code", {}, cursor));
  const epoch = cursor.slice(0, cursor.lastIndexOf("-"));
  // The note remains until this page sends an action: other clients can send more of them at once.
  if (lastEpoch !== undefined && lastEpoch !== epoch) part["state-note"].hidden = false;
  lastEpoch = epoch;
  sessions.advance(versionOf(cursor));
});

const timelinePass = layout(() => {
  if (open?.live.confirmed) timeline.advance(open.live.version);
});

function showMoment(before, state, version, base) {
  moment = version === undefined ? undefined : { before, state, version, base };
  statePass.setNeedsLayout();
}

// MARK: The open session

async function openSession(reactor, id) {
  leaveSession();
  const address = `v1/reactors/${encodeURIComponent(reactor.name)}/sessions/${id}`;
  const session = { reactor, id, address, live: follow(reactor.name, id), ends: [] };
  open = session;

  document.title = `${reactor.name}/${id} · reactord`;
  part["session-title"].replaceChildren(reactor.name, element("span", {}, " / "), id);
  part.summary.textContent = reactor.summary;
  part["state-link"].href = addressOf(`${address}/state`);
  part["log-link"].href = addressOf(`${address}/log`);
  part["reactor-link"].href = addressOf(`v1/reactors/${encodeURIComponent(reactor.name)}`);
  part["types-link"].href = `${part["reactor-link"].href}/types.ts`;
  // Relative to this page: a proxy may have removed the path before it.
  part["example-link"].href = addressOf(/examples\/.*/.exec(reactor.links.example)?.[0] ?? "");
  part["example-link"].hidden = reactor.links.example === undefined;
  part.session.hidden = false;
  lastEpoch = undefined;
  timeline.open(session);
  charts.open(session.live);
  effects.open(session);
  timers.open(session);
  errors.open(session);
  sessions.open([reactor.name], session);
  part.session.querySelector(".side").append(part["charts-panel"]);
  showCommands(session);

  session.ends.push(
    session.live.state.subscribe(() => {
      charts.count();
      timers.refresh();
      if (!moment) statePass.setNeedsLayout();
      timelinePass.setNeedsLayout();
    }),
    session.live.connection.subscribe((status) => showStatus(session, status)),
    session.live.activity.drive((activity) => {
      effects.set(activity);
      errors.refresh();
    }),
    session.live.presence.drive((presence) => subscribers.show(presence)),
    session.live.signals.subscribe((signal) => subscribers.add(signal)));

  try {
    reactor.description ??= (await read(`v1/reactors/${encodeURIComponent(reactor.name)}`)).value;
    if (session !== open) return;
    composer.open(session, reactor.description);
    parameters.open(reactor.description);
    showCommands(session);
  } catch (problem) {
    if (session === open) part.examples.replaceChildren(describe(problem));
  }
}

function leaveSession() {
  open?.ends.forEach((end) => end());
  open?.live.close();
  open = undefined;
  moment = undefined;
  part.session.hidden = true;
  part.gone.hidden = true;
  clearState();
  timeline.close();
  charts.close();
  effects.close();
  timers.close();
  subscribers.close();
  parameters.close();
  composer.close();
  errors.close();
  sessions.close();
}

function clearState() {
  tree.clear();
  showScreens(part.screens, undefined);
  part.version.replaceChildren();
  part["state-note"].hidden = true;
}

function showStatus(session, status) {
  part.session.dataset.status = status;
  part.status.textContent = STATUS[status];
  part.gone.hidden = status !== "ended";
  if (status === "ended") {
    timers.end();
    const { problem } = session.live;
    if (needsToken(problem)) clearState();
    part["gone-problem"].replaceChildren(
      problem ? describe(problem) : element("p", {}, "The session was deleted."));
  }
  // The list contains the session once it is live.
  if (status === "live" || status === "ended") sessions.load();
}

/** Creates the open session: after its end, with parameters, or where sessions are created explicitly. */
async function begin() {
  const session = open;
  const { body } = parameters;
  try {
    if (body) {
      const headers = { "Content-Type": "application/json" };
      await send(session.address, { method: "PUT", headers, body });
    }
    await session.live.begin();
  } catch (problem) {
    if (session === open) part["gone-problem"].replaceChildren(describe(problem));
  }
}

/** Ends the open session, after a confirmation. */
async function endSession() {
  if (part.end.dataset.asked === undefined) {
    part.end.dataset.asked = "";
    part.end.textContent = "End it for all clients?";
    setTimeout(resetEnd, 4_000);
    return;
  }
  resetEnd();
  try {
    await send(open.address, { method: "DELETE" });
  } catch (problem) {
    part.response.replaceChildren(describe(problem));
  }
}

function resetEnd() {
  delete part.end.dataset.asked;
  part.end.textContent = "End session";
}

/** Forks the open session at a version, and opens the fork. */
async function fork(version) {
  const { reactor, id, address } = open;
  try {
    const response = await send(address.slice(0, address.lastIndexOf("/")), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ from: { session: id, version } }),
    });
    const location_ = response.headers.get("Location") ?? "";
    location.hash = hashOf(reactor.name, location_.slice(location_.lastIndexOf("/") + 1));
  } catch (problem) {
    part["timeline-problem"].replaceChildren(describe(problem));
  }
}

// MARK: Commands

function showCommands({ reactor, address }) {
  const session = addressOf(address);
  const action = stringify(reactor.description?.exampleActions[0] ?? "…");
  part.commands.replaceChildren(
    ...[...sessionCommands(address, action), `reactord watch ${session}`].map(commandLine));
}

/** The first steps with a new service: commands for a session of the first reactor, and a link to it. */
async function showFirstSteps() {
  const [reactor] = reactors;
  part["first-steps"].hidden = !reactor;
  if (!reactor) return;
  part["first-session"].href = hashOf(reactor.name, DEFAULT_SESSION);
  part["first-session"].textContent = `Open ${reactor.name}/${DEFAULT_SESSION}`;
  try {
    reactor.description ??= (await read(`v1/reactors/${encodeURIComponent(reactor.name)}`)).value;
  } catch {
    // The catalogue shows the problem.
  }
  const action = stringify(reactor.description?.exampleActions[0] ?? "…");
  const address = `v1/reactors/${encodeURIComponent(reactor.name)}/sessions/${DEFAULT_SESSION}`;
  part["first-commands"].replaceChildren(...sessionCommands(address, action).map(commandLine));
}

// MARK: Addresses

/** Loads the catalogue and shows the address. */
async function start() {
  part["catalogue-problem"].replaceChildren();
  try {
    reactors = (await read("v1/reactors")).value.reactors;
  } catch (problem) {
    part["catalogue-problem"].replaceChildren(
      describe(problem, needsToken(problem) ? askForToken(start) : tryAgain()));
    document.getElementById("token")?.focus();
    return;
  }
  part["examples-link"].hidden = !reactors.some(({ links }) => links.example?.includes("/examples/#"));
  showReactors(reactors);
  health.reactors = reactors;
  charts.restart();
  showAbout();
  route();
}

function tryAgain() {
  const button = element("button", { type: "button" }, "Try again");
  button.addEventListener("click", start);
  return element("p", {}, button);
}

/** Marks the link of the page that is shown. */
function mark(link, isCurrent) {
  if (isCurrent) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

/** Opens the session of a reactor that was active last. */
async function openLatest(reactor) {
  const { hash } = location;
  let id;
  try {
    id = await latestSession(reactor.name);
  } catch (problem) {
    // The session shows the problem.
    if (!(problem instanceof Problem)) throw problem;
  }
  if (location.hash === hash) location.replace(hashOf(reactor.name, id ?? DEFAULT_SESSION));
}

/** Shows the page that the hash names: `#/counter/demo`, `#/counter` for its latest session, `#operations`. */
function route() {
  if (!reactors) return;
  const { name, id } = place();
  const reactor = reactors.find((one) => one.name === name);
  part["address-problem"].replaceChildren();
  if (reactor && id === "") return openLatest(reactor);
  const view = location.hash === OPERATIONS ? "operations"
    : reactor && SESSION_ID.test(id) ? "session" : "home";
  mark(part["home-link"], view === "home");
  mark(part["operations-link"], view === "operations");
  reactors.forEach((one, index) => mark(part.reactors.children[index].firstElementChild, one === reactor));
  document.body.dataset.view = view;
  part.home.hidden = view !== "home";
  part["operations-page"].hidden = view !== "operations";
  health.isActive = view === "operations";
  if (view === "session") {
    if (open?.reactor !== reactor || open.id !== id) openSession(reactor, id);
    return;
  }
  leaveSession();
  if (view === "operations") {
    document.title = "Operations · reactord";
    part["operations-charts"].append(part["charts-panel"]);
    showGlobals();
    return;
  }
  document.title = "reactord";
  part.home.prepend(part["charts-panel"]);
  sessions.open(reactors.map((one) => one.name));
  showFirstSteps();
  if (name === "") return;
  part["address-problem"].replaceChildren(
    describe(
      reactor
        ? new Problem({ title: "Not a session id", detail: SESSION_ID_RULE })
        : new Problem({ title: "No such reactor", detail: `None is hosted as “${name}” here.` })));
}

/** The reactor's name and the session's id in the hash. */
function place() {
  const [, name = "", id = ""] = location.hash.slice(1).split("/").map((text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  });
  return { name, id };
}

/** The title of the page that is shown. */
function title() {
  return open ? part["session-title"] : part["operations-page"].hidden ? part.main : part["operations-title"];
}

/** Selects the part of the session that a phone shows. */
function showTab(name) {
  document.body.dataset.tab = name;
  part.session.dataset.tab = name;
  for (const button of part.tabs.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.tab === name));
  }
}

// Following the link would replace the hash, which contains the address of the session.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  title().focus();
});
part.begin.addEventListener("click", begin);
part.end.addEventListener("click", endSession);
part.tabs.addEventListener("click", ({ target }) => {
  const name = target.closest("button")?.dataset.tab;
  if (name) showTab(name);
});
showTab("state");

addEventListener("hashchange", () => {
  route();
  // Move the focus to the title, where a screen reader starts after a page was loaded.
  if (location.hash !== "") title().focus();
});

startAccess();
start();
