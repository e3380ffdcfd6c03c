// A tour in five steps. It uses the public interface only, except for the button that kills the service: that is a
// request to the program that has started the tour, config/try.

import { configure, parse, reactor, request, stringify } from "/reactor.js";

const part = Object.fromEntries(
  Array.from(document.querySelectorAll("[id]"), (element) => [element.id, element]));

/** The port and the secret of the program that kills the service, and the session: `#PORT/SECRET/SESSION`. */
const [port, secret, given] = location.hash.slice(1).split("/");
const id = given || `tour-${Math.random().toString(36).slice(2, 8)}`;
history.replaceState(null, "", `#${port}/${secret ?? ""}/${id}`);

// Each tab has a stream of its own, so that they can be counted.
configure({ isShared: false });
const counter = reactor("counter", id);
const address = `v1/reactors/counter/sessions/${id}`;

/** Shows the result of a step, and whether that is done. */
function report(step, text, isDone = true) {
  part[step].querySelector(".result").replaceChildren(...[text].flat());
  if (isDone) part[step].classList.add("done");
}

/** Performs a step; an error is its result. */
async function perform(step, work) {
  try {
    await work();
  } catch (error) {
    report(step, error.message, false);
  }
}

function link(text, href) {
  const made = document.createElement("a");
  made.href = href;
  made.append(text);
  return made;
}

counter.state.subscribe(({ value }) => {
  part.value.textContent = String(value);
  const { version } = counter;
  part.version.textContent = String(version);
  const isLatest = part.scrubber.value === part.scrubber.max;
  part.scrubber.max = String(version);
  if (isLatest) showVersion(version);
});
counter.connection.subscribe((status) => { part.connection.textContent = status; });
counter.presence.subscribe(({ count }) => {
  part.tabs.textContent = count === 1 ? "1 tab" : `${count} tabs`;
  if (count > 1) report("watch", `${count} tabs show this session now.`);
});
part.second.href = location.href;
part.inspector.href = `/inspector/#/counter/${id}`;

part.act.addEventListener("click", ({ target }) => {
  const action = target.closest("button")?.dataset.action;
  if (!action) return;
  perform("act", async () => {
    await counter.send(parse(action));
    report("act", `${action} is committed, at version ${counter.version}.`);
  });
});

part["kill-button"].disabled = !secret;
if (!secret) report("kill", "Only for a tour that “make try” has started, at the address that it prints.", false);
part["kill-button"].addEventListener("click", () => perform("kill", async () => {
  part["kill-button"].disabled = true;
  report("kill", "Killed …", false);
  try {
    const response = await fetch(`http://127.0.0.1:${port}/${secret}`, { method: "POST" });
    const { title, killed, now, milliseconds } = await response.json();
    if (!response.ok) throw new Error(title);
    const { value } = parse(await (await request(`${address}/state`)).text());
    report(
      "kill", `Process ${killed} is dead, process ${now} was ready after ${milliseconds} ms, and the State is still ${value}.`);
  } finally {
    part["kill-button"].disabled = false;
  }
}));

/** Shows a version as the selected one. */
function showVersion(version) {
  part.scrubber.value = String(version);
  part.at.textContent = String(version);
  part["fork-at"].textContent = String(version);
}

part.scrubber.addEventListener("input", () => perform("scrub", async () => {
  const version = Number(part.scrubber.value);
  showVersion(version);
  const state = await (await request(`${address}/state?version=${version}`)).text();
  const [entry] = version === 0 ? []
    : parse(await (await request(`${address}/log?after=${version - 1}&limit=1`)).text());
  if (version !== Number(part.scrubber.value)) return;
  const cause = entry ? `, after ${stringify(entry.action)}` : ", the initial State";
  report("scrub", `Version ${version} was ${state}${cause}.`, version < counter.version);
}));

part["fork-button"].addEventListener("click", () => perform("fork", async () => {
  const version = Number(part.scrubber.value);
  const response = await request("v1/reactors/counter/sessions", {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ from: { session: id, version } }),
  });
  const state = await response.text();
  const fork = response.headers.get("Location").split("/").at(-1);
  report("fork", [
    `The fork begins with ${state}; this session stays as it is. `,
    link("Open the fork here", `/?${fork}#${port}/${secret ?? ""}/${fork}`), " or ",
    link("in the inspector", `/inspector/#/counter/${fork}`), ".",
  ]);
}));
