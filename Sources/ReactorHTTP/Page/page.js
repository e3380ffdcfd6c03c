// The page at `/`: lists the reactors, and shows one session of one of them, live.
//
// Whatever the server sends is put on the page as text, never as HTML.

/** How much of a State is shown; the rest is one click away. */
const SHOWN_CHARACTERS = 50_000;

/** How deep a State is indented; what is deeper stays at this column. */
const INDENTED_LEVELS = 32;

/** The session that a reactor opens with. */
const DEFAULT_SESSION = "demo";

const SESSION_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;
const SESSION_ID_RULE =
  "A session id is 1 to 128 of A-Z a-z 0-9 . _ ~ - and neither . nor .. itself.";

/** The elements of the page that have an id, by it. */
const part = Object.fromEntries(
  Array.from(document.querySelectorAll("[id]"), (element) => [element.id, element]));

/** Makes an element. Children that are strings become text. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// MARK: Requests

/** An error as the server tells it (RFC 9457), or in its place one of the way to the server. */
class Problem extends Error {
  constructor(members) {
    super(members.title);
    this.members = members;
  }

  /** Whether the same request may well succeed later. */
  get isPassing() {
    const status = this.members.status ?? 503;
    return status >= 500 || status === 429 || status === 408;
  }

  static async of(response) {
    const fallback = { title: `The server answered ${response.status}`, status: response.status };
    try {
      return new Problem({ ...fallback, ...(await response.json()) });
    } catch {
      return new Problem(fallback);
    }
  }
}

/** Sends a request; throws a `Problem` unless the answer is a success. */
async function request(address, options = {}) {
  let response;
  try {
    response = await fetch(address, { signal: AbortSignal.timeout(30_000), ...options });
  } catch {
    throw new Problem({
      title: "The server did not answer",
      detail: options.method
        ? "Whether it took the request is not known. Look at the State before you send it again."
        : "Is it running, and can it be reached from here?",
    });
  }
  if (!response.ok) throw await Problem.of(response);
  return response;
}

/** Sends a request and reads the JSON of its answer. */
async function read(address) {
  const response = await request(address, { headers: { Accept: "application/json" } });
  try {
    return { value: await response.json(), next: nextPage(response) };
  } catch {
    throw new Problem({ title: "The answer broke off", detail: "Try again." });
  }
}

/** The address in `Link: <…>; rel="next"`. */
function nextPage(response) {
  return /<([^>]*)>\s*;\s*rel="?next"?/.exec(response.headers.get("Link") ?? "")?.[1];
}

/** What a problem looks like. */
function describe(problem, ...more) {
  if (!(problem instanceof Problem)) throw problem;
  const { type, title, detail } = problem.members;
  const facts = element("dl");
  for (const name of ["pointer", "expected", "offset", "index"]) {
    const value = problem.members[name];
    if (value === undefined || value.length === 0) continue;
    const text = Array.isArray(value) ? value.join(", ") : String(value);
    facts.append(element("dt", {}, name), element("dd", {}, element("code", {}, text)));
  }
  const box = element("div", { class: "problem" }, element("strong", {}, title));
  if (detail) box.append(element("p", {}, detail));
  if (facts.hasChildNodes()) box.append(facts);
  if (type?.startsWith("/problems/")) {
    box.append(element("a", { href: type }, "What this means"));
  }
  box.append(...more);
  return box;
}

// MARK: The stream of a session

/**
 * Follows a session's State for as long as the session lives, whatever happens to the connection.
 *
 * EventSource comes back by itself where the connection breaks, and gives up for good where the
 * answer is anything but a stream. Then the session's State is asked for, which says why.
 */
class SessionStream {
  #address;
  #watcher;
  #source;
  #retry;
  #failures = 0;
  #cursor = "";

  /**
   * @param address The session's address.
   * @param watcher Is told by `status(name, text)`, `state(json, cursor)`, `reset()`, and, when
   *   there is nothing more to come, by `gone(problem)`, without a problem for a deleted session.
   */
  constructor(address, watcher) {
    this.#address = address;
    this.#watcher = watcher;
    watcher.status("connecting", "Connecting…");
    this.#open();
  }

  close() {
    clearTimeout(this.#retry);
    this.#source.close();
    this.#watcher = undefined;
  }

  #open() {
    const resumed = this.#cursor && `?last_event_id=${encodeURIComponent(this.#cursor)}`;
    const source = new EventSource(`${this.#address}/events${resumed}`);
    this.#source = source;
    source.addEventListener("open", () => {
      this.#failures = 0;
      this.#watcher?.status("live", "Live");
    });
    source.addEventListener("message", ({ data, lastEventId }) => {
      this.#cursor = lastEventId;
      this.#watcher?.state(data, lastEventId);
    });
    source.addEventListener("reset", () => this.#watcher?.reset());
    source.addEventListener("draining", () => {
      this.#watcher?.status("reconnecting", "The server is stopping, reconnecting…");
    });
    source.addEventListener("end", () => this.#end());
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return this.#reconnecting();
      this.#learnWhy();
    });
  }

  #reconnecting() {
    this.#watcher?.status("reconnecting", "Reconnecting…");
  }

  async #learnWhy() {
    this.#reconnecting();
    try {
      const response = await request(`${this.#address}/state`, { cache: "no-store" });
      response.body?.cancel();
    } catch (problem) {
      if (!problem.isPassing) return this.#end(problem);
    }
    if (!this.#watcher) return;
    // Not all at once: the clients of a server that went away wait for different times.
    const seconds = Math.min(2 ** this.#failures++, 16) * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => this.#open(), seconds * 1000);
  }

  #end(problem) {
    this.#source.close();
    this.#watcher?.status("ended", "Ended");
    this.#watcher?.gone(problem);
  }
}

// MARK: State

/**
 * Breaks JSON text into indented lines.
 *
 * It works on the text, since parsing would round numbers of more than 53 bits. Text that was cut
 * off is fine.
 */
function indent(json) {
  let text = "";
  let level = 0;
  const newLine = () => "\n" + "  ".repeat(Math.min(level, INDENTED_LEVELS));
  let opened = false;
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const closes = token === "}" || token === "]";
    if (closes) level = Math.max(0, level - 1);
    // An empty object or array stays on its line.
    if (closes ? !opened : opened) text += newLine();
    text += token;
    opened = token === "{" || token === "[";
    if (opened) level += 1;
    if (token === ",") text += newLine();
    if (token === ":") text += " ";
  }
  return text;
}

/** Shows the latest State, once a frame however many come. */
class StateView {
  #latest;
  #frame;
  #isReset = false;

  show(json, cursor) {
    this.#latest = { json, cursor, isReset: this.#isReset };
    this.#isReset = false;
    this.#frame ??= requestAnimationFrame(() => {
      this.#frame = undefined;
      if (this.#latest) this.#draw(this.#latest);
    });
  }

  clear() {
    this.#latest = undefined;
    this.#isReset = false;
    part.state.textContent = "";
    part.version.replaceChildren();
    part["state-note"].hidden = true;
  }

  /** The next State is not a successor of the last. */
  reset() {
    this.#isReset = true;
  }

  #draw({ json, cursor, isReset }) {
    this.cursor = cursor;
    part.state.textContent = indent(json.slice(0, SHOWN_CHARACTERS));
    part.version.replaceChildren(
      `version ${versionOf(cursor)} · cursor `, element("code", {}, cursor));
    const listed = part.sessions.querySelector("[aria-current] .version");
    if (listed) listed.textContent = versionOf(cursor);
    const notes = [];
    if (isReset) {
      notes.push("The session began a new history; this State does not follow from the last.");
    }
    if (json.length > SHOWN_CHARACTERS) {
      const shown = SHOWN_CHARACTERS.toLocaleString("en");
      const all = json.length.toLocaleString("en");
      notes.push(`These are the first ${shown} of ${all} characters; “State as JSON” has them all.`);
    }
    part["state-note"].textContent = notes.join(" ");
    part["state-note"].hidden = notes.length === 0;
  }
}

/** The version in a cursor, `{epoch}-{version}`. */
function versionOf(cursor) {
  return cursor.slice(cursor.lastIndexOf("-") + 1);
}

// MARK: The open session

const stateView = new StateView();

/** What is open: `{ reactor, id, address, stream }`; undefined where nothing is. */
let open;

function openSession(reactor, id) {
  const address = `${reactor.links.sessions}/${id}`;
  const isOfSameReactor = open?.reactor.name === reactor.name;
  leaveSession();
  open = { reactor, id, address };
  const session = open;

  document.title = `${reactor.name}/${id} · reactord`;
  part["session-title"].replaceChildren(reactor.name, element("span", {}, " / "), id);
  part.summary.textContent = reactor.summary;
  part["state-link"].href = `${address}/state`;
  part["log-link"].href = `${address}/log`;
  part["reactor-link"].href = reactor.links.self;
  part.session.hidden = false;
  follow(session);
  showSessions(session);
  showCommands(session);
  if (isOfSameReactor) return;
  part.examples.replaceChildren();
  part.sessions.replaceChildren();
  part.action.value = "";
  showExamples(session);
}

function leaveSession() {
  open?.stream?.close();
  open = undefined;
  part.session.hidden = true;
  part.answer.replaceChildren();
  stateView.clear();
}

function follow(session) {
  session.stream?.close();
  part.gone.hidden = true;
  session.stream = new SessionStream(session.address, {
    status(name, text) {
      part.session.dataset.status = name;
      part.status.textContent = text;
      // Only now is this session sure to be among them.
      if (name === "live") showSessions(session);
    },
    state(json, cursor) {
      stateView.show(json, cursor);
    },
    reset() {
      stateView.reset();
    },
    gone(problem) {
      part.gone.hidden = false;
      part["gone-problem"].replaceChildren(
        problem ? describe(problem) : element("p", {}, "The session was deleted."));
      showSessions(session);
    },
  });
}

/** Makes the open session, after it was deleted or where sessions are made explicitly. */
async function begin() {
  const session = open;
  try {
    await request(session.address, { method: "PUT" });
  } catch (problem) {
    if (session === open) part["gone-problem"].replaceChildren(describe(problem));
    return;
  }
  if (session !== open) return;
  stateView.clear();
  follow(session);
}

// MARK: Actions

async function showExamples(session) {
  try {
    const { value } = await read(session.reactor.links.self);
    session.reactor.examples = value.exampleActions.map((example) => JSON.stringify(example));
  } catch (problem) {
    if (session.reactor === open?.reactor) part.examples.replaceChildren(describe(problem));
    return;
  }
  if (session.reactor !== open?.reactor) return;
  const examples = session.reactor.examples;
  part.examples.replaceChildren(
    ...examples.map((action) => {
      const button = element("button", { type: "button" }, element("code", {}, action));
      button.addEventListener("click", () => send(action));
      return button;
    }));
  // The last example is usually the one with the most to change.
  if (part.action.value === "") part.action.value = examples.at(-1) ?? "";
  showCommands(open);
}

/** Sends an action, whose JSON is the server's to judge. */
async function send(action) {
  const session = open;
  const label = action.length > 60 ? action.slice(0, 60) + "…" : action;
  const answer = (...content) => session === open && part.answer.replaceChildren(...content);
  answer("Sending ", element("code", {}, label), "…");
  try {
    const response = await request(`${session.address}/actions`, {
      method: "POST",
      // The State comes by the stream, and an effect may take its time.
      headers: { "Content-Type": "application/json", Prefer: "return=minimal, wait=1" },
      body: action,
    });
    const cursor = (response.headers.get("ETag") ?? "").replaceAll('"', "");
    answer(
      element("code", {}, label),
      response.status === 202
        ? " is accepted and runs on."
        : ` is committed${cursor && `, at version ${versionOf(cursor)}`}.`);
  } catch (problem) {
    answer(describe(problem));
  }
}

// MARK: Sessions

/** Lists the sessions of the open one's reactor, from the beginning or the next page of them. */
async function showSessions(session, next) {
  let page;
  try {
    page = await read(next ?? `${session.reactor.links.sessions}?limit=20`);
  } catch (problem) {
    if (session === open) part.sessions.replaceChildren(element("li", {}, describe(problem)));
    return;
  }
  if (session !== open) return;
  const others = page.value.sessions.filter(({ id }) => id !== session.id);
  if (!next) {
    // The open one stands first, on whichever page of the list it is.
    const listed = page.value.sessions.find(({ id }) => id === session.id);
    part.sessions.replaceChildren(sessionItem(session, listed ?? session));
  }
  part.sessions.append(...others.map((other) => sessionItem(session, other)));
  part["sessions-note"].hidden = part.sessions.hasChildNodes();
  part["sessions-note"].textContent = "None yet.";
  part.more.hidden = !page.next;
  part.more.onclick = () => showSessions(session, page.next);
}

/** A session in the list: its name leads there. */
function sessionItem(open, { id, cursor, subscribers }) {
  const link = element(
    "a", { href: `#/${encodeURIComponent(open.reactor.name)}/${id}` },
    element("span", {}, id),
    element(
      "span", {},
      "version ", element("span", { class: "version" }, cursor ? versionOf(cursor) : "–"),
      subscribers === undefined ? "" : ` · ${subscribers} watching`));
  if (id === open.id) link.setAttribute("aria-current", "true");
  return element("li", {}, link);
}

// MARK: Commands

function showCommands({ reactor, address }) {
  const session = location.origin + address;
  const action = reactor.examples?.[0] ?? '"…"';
  part.commands.replaceChildren(
    ...[
      `curl -N ${session}/events`,
      `curl --json ${quoted(action)} ${session}/actions`,
      `curl ${session}/state`,
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

let reactors;

/** Reads the catalogue, and then the address. */
async function start() {
  part["catalogue-problem"].replaceChildren();
  try {
    reactors = (await read("/v1/reactors")).value.reactors;
  } catch (problem) {
    const again = element("p", {}, element("button", { type: "button" }, "Try again"));
    again.addEventListener("click", start);
    part["catalogue-problem"].replaceChildren(describe(problem, again));
    return;
  }
  part.reactors.replaceChildren(
    ...reactors.map(({ name, summary }) =>
      element(
        "li", {},
        element(
          "a", { href: `#/${encodeURIComponent(name)}/${DEFAULT_SESSION}` },
          element("strong", {}, name), element("span", {}, summary)))));
  route();
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

// MARK: What people do

part["action-form"].addEventListener("submit", (event) => {
  event.preventDefault();
  send(part.action.value);
});

part["session-form"].addEventListener("submit", (event) => {
  event.preventDefault();
  location.hash = `#/${encodeURIComponent(open.reactor.name)}/${part["session-id"].value}`;
  event.target.reset();
});

part["session-id"].addEventListener("input", ({ target }) => {
  const isValid = target.value === "" || SESSION_ID.test(target.value);
  target.setCustomValidity(isValid ? "" : SESSION_ID_RULE);
});

part.refresh.addEventListener("click", () => showSessions(open));
part.begin.addEventListener("click", begin);

addEventListener("hashchange", () => {
  route();
  // As after the loading of a page: what is new is read next, and seen first.
  if (open) part["session-title"].focus();
});

// A page that the browser only keeps in memory holds no stream open.
addEventListener("pagehide", () => open?.stream.close());
addEventListener("pageshow", ({ persisted }) => {
  if (persisted && open) follow(open);
});

start();
