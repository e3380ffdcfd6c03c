// The inspector: the reactors of this host, and one session of one of them, live and in its past.
//
// It is a page like any other: what it knows of a session it has from /reactor.js.

import { layout, Problem, reactor as follow, request } from "/reactor.js";
import { askForToken, useToken } from "./access.js";
import { Composer } from "./actions.js";
import {
  DEFAULT_SESSION, hashOf, read, SESSION_ID, SESSION_ID_RULE, Sessions, showReactors,
} from "./catalogue.js";
import { Charts } from "./charts.js";
import { Effects } from "./effects.js";
import { describe, element, part, versionOf } from "./elements.js";
import { Timeline } from "./timeline.js";
import { Tree } from "./tree.js";

const STATUS = {
  connecting: "Connecting…", live: "Live", reconnecting: "Reconnecting…", ended: "Ended",
};

/** The reactors that have a page among the examples. */
const EXAMPLES = ["counter", "profile", "weather", "chat", "stopwatch"];

const tree = new Tree(part.state);
const composer = new Composer();
const sessions = new Sessions();
const charts = new Charts();
const effects = new Effects();
const timeline = new Timeline(showMoment, fork);

/** What is open: `{ reactor, id, address, live, ends }`; undefined where nothing is. */
let open;

/** The hosted reactors, as the catalogue lists them. */
let reactors;

// MARK: State

/** What is to be shown: the latest State, or one of the past. */
let moment;
let lastEpoch;

const statePass = layout(() => {
  if (!open) return;
  if (moment) {
    tree.compare(moment.before, moment.state);
    part.version.replaceChildren(`version ${moment.version}, as it was`);
    return;
  }
  const confirmed = open.live.confirmed;
  if (!confirmed) return;
  tree.show(confirmed.state);
  const { cursor } = confirmed;
  part.version.replaceChildren(`version ${versionOf(cursor)} · cursor `, element("code", {}, cursor));
  const epoch = cursor.slice(0, cursor.lastIndexOf("-"));
  const isNewHistory = lastEpoch !== undefined && lastEpoch !== epoch;
  lastEpoch = epoch;
  part["state-note"].hidden = !isNewHistory;
  part["state-note"].textContent = isNewHistory
    ? "The session began a new history; this State does not follow from the last." : "";
  sessions.advance(versionOf(cursor));
});

const timelinePass = layout(() => {
  if (open?.live.confirmed) timeline.advance(open.live.version);
});

function showMoment(before, state, version) {
  moment = version === undefined ? undefined : { before, state, version };
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
  part["state-link"].href = `/${address}/state`;
  part["log-link"].href = `/${address}/log`;
  part["reactor-link"].href = reactor.links.self;
  part["types-link"].href = `${reactor.links.self}/types.ts`;
  part["example-link"].href = `/examples/#${reactor.name}`;
  part["example-link"].hidden = !EXAMPLES.includes(reactor.name);
  part.session.hidden = false;
  lastEpoch = undefined;
  timeline.open(session);
  charts.open(session.live);
  effects.open(session);
  sessions.open(session);
  showCommands(session);

  session.ends.push(
    session.live.state.subscribe(() => {
      charts.count();
      statePass.setNeedsLayout();
      timelinePass.setNeedsLayout();
    }),
    session.live.connection.subscribe((status) => showStatus(session, status)),
    session.live.activity.drive((activity) => effects.set(activity)));

  try {
    reactor.description ??= (await read(reactor.links.self.slice(1))).value;
    if (session !== open) return;
    composer.open(session, reactor.description);
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
  tree.clear();
  part.version.replaceChildren();
  part["state-note"].hidden = true;
  timeline.close();
  charts.close();
  effects.close();
  composer.close();
  sessions.close();
}

function showStatus(session, status) {
  part.session.dataset.status = status;
  part.status.textContent = STATUS[status];
  part.gone.hidden = status !== "ended";
  if (status === "ended") {
    const { problem } = session.live;
    part["gone-problem"].replaceChildren(
      problem ? describe(problem) : element("p", {}, "The session was deleted."));
  }
  // Only now is this session sure to be among them, or to be gone from them.
  if (status === "live" || status === "ended") sessions.show();
}

/** Makes the open session, after it was deleted or where sessions are made explicitly. */
async function begin() {
  const session = open;
  try {
    await session.live.begin();
  } catch (problem) {
    if (session === open) part["gone-problem"].replaceChildren(describe(problem));
  }
}

/** Ends the open session, after asking. */
async function endSession() {
  if (part.end.dataset.asked === undefined) {
    part.end.dataset.asked = "";
    part.end.textContent = "End it for everybody?";
    setTimeout(resetEnd, 4_000);
    return;
  }
  resetEnd();
  try {
    await request(open.address, { method: "DELETE" });
  } catch (problem) {
    part.answer.replaceChildren(describe(problem));
  }
}

function resetEnd() {
  delete part.end.dataset.asked;
  part.end.textContent = "End session";
}

/** Makes another session with the history of the open one up to a version, and opens it. */
async function fork(version) {
  const { reactor, id, address } = open;
  try {
    const response = await request(address.slice(0, address.lastIndexOf("/")), {
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
  const session = new URL(address, new URL("/", location.href)).href;
  const action = JSON.stringify(reactor.description?.exampleActions[0] ?? "…");
  part.commands.replaceChildren(
    ...[
      `curl -N ${session}/events`,
      `curl --json ${quoted(action)} ${session}/actions`,
      `curl ${session}/state`,
      `reactord watch ${session}`,
    ].map(commandLine));
}

/** A word of a shell's command. */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function commandLine(command) {
  // Where it must break, it breaks behind a slash.
  const words = command.split(/(?<=[^/]\/)(?=[^/])/);
  const code = element("code", {}, ...words.flatMap((word) => [word, element("wbr")]));
  const button = element("button", { class: "quiet", type: "button" }, "Copy");
  button.setAttribute("aria-label", `Copy: ${command}`);
  button.addEventListener("click", async () => {
    button.textContent = (await copy(code)) ? "Copied" : "Selected";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return element("li", {}, code, button);
}

/** Copies an element's text; where a browser does not allow it, only selects it. */
async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return false;
  }
}

// MARK: Addresses

/** Reads the catalogue, and then the address. */
async function start() {
  part["catalogue-problem"].replaceChildren();
  try {
    reactors = (await read("v1/reactors")).value.reactors;
  } catch (problem) {
    part["catalogue-problem"].replaceChildren(
      describe(problem, [401, 403].includes(problem.status) ? askForToken(start) : tryAgain()));
    document.getElementById("token")?.focus();
    return;
  }
  showReactors(reactors);
  route();
}

function tryAgain() {
  const button = element("button", { type: "button" }, "Try again");
  button.addEventListener("click", start);
  return element("p", {}, button);
}

/** Shows what the address in the hash names: `#/counter/demo`, or nothing. */
function route() {
  if (!reactors) return;
  const { name, id } = place();
  const reactor = reactors.find((one) => one.name === name);
  part["address-problem"].replaceChildren();
  reactors.forEach((one, index) => {
    const link = part.reactors.children[index].firstElementChild;
    if (one === reactor) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  document.body.dataset.view = reactor && SESSION_ID.test(id) ? "session" : "home";
  if (document.body.dataset.view === "session") {
    if (open?.reactor !== reactor || open.id !== id) openSession(reactor, id);
    return;
  }
  leaveSession();
  document.title = "reactord";
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
  return { name, id: id || DEFAULT_SESSION };
}

/** Chooses what a phone shows of the session. */
function showTab(name) {
  part.session.dataset.tab = name;
  for (const button of part.tabs.querySelectorAll("button")) {
    button.setAttribute("aria-pressed", String(button.dataset.tab === name));
  }
}

// The hash is the address here, and must stay what it is.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  (open ? part["session-title"] : part.reactors.querySelector("a"))?.focus();
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
  // As after the loading of a page: what is new is read next, and seen first.
  if (open) part["session-title"].focus();
});

useToken();
start();
