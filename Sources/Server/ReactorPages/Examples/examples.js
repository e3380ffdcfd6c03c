// Shows one example beside its source. An example belongs to a shipped reactor and is listed only if
// this service hosts it.

import { request } from "../reactor.js";
import { needsToken, tokenForm, useToken } from "../token.js";

const part = (id) => document.getElementById(id);

const known = [
  {
    name: "counter", frames: ["counter.html"],
    about: "Actions from buttons, a State in an element. The number changes at once, and changes back if the server rejects the action.",
  },
  {
    name: "profile", frames: ["profile.html"],
    about: "An effect that takes a while, an error that is shown, and a value that all sessions share. A driver shows a fallback if there is none.",
  },
  {
    name: "weather", frames: ["weather.html"],
    about: "Type to search: throttled, the latest search wins, and activity is shown while one runs. The field is bound both ways.",
  },
  {
    name: "chat", frames: ["chat.html?name=Ada", "chat.html?name=Grace"],
    about: "One session, many pages: here are two of them, over one connection.",
  },
  {
    name: "stopwatch", frames: ["stopwatch.html"],
    about: "An effect that runs until it is stopped, with or without subscribers.",
  },
  {
    name: "auction", frames: ["auction.html"],
    about: "Sessions that talk to each other: an auction has parameters, and sends its beginning and its end to the lobby, exactly once.",
  },
  {
    name: "sealed", frames: ["sealed.html?name=Ada", "sealed.html?name=Grace"],
    about: "One State, a view per bidder: until the bids are revealed, the page of one bidder has not received a byte of the other's bid.",
  },
  {
    name: "order", frames: ["order.html", "order.html?url=none"],
    about: "A flow of screens: the stack is part of the State. The first page follows the browser's history, the second one shows the same session.",
  },
];

/** The examples whose reactor is hosted. */
let examples = [];

function element(name, attributes = {}, ...children) {
  const result = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, value);
  result.append(...children);
  return result;
}

async function start() {
  part("problem").replaceChildren();
  try {
    const { reactors } = await (await request("v1/reactors")).json();
    examples = known.filter((example) => reactors.some(({ links }) => links.example?.endsWith(`/examples/#${example.name}`)));
  } catch (problem) {
    part("problem").replaceChildren(
      element("p", {}, problem.message), ...(needsToken(problem) ? [tokenForm(start)] : []));
    return;
  }
  part("examples").replaceChildren(...examples.map(({ name }) =>
    element("li", {}, element("a", { href: `#${name}` }, name))));
  show();
}

/** The section with a file of the example as text. */
async function file(name) {
  const text = (await (await request(`examples/${name}`, { headers: { Accept: "*/*" } })).text()).trimEnd();
  const lines = text.split("\n").length;
  return element(
    "section", { "aria-label": name },
    element("h3", {}, element("a", { href: name }, name), element("span", {}, ` ${lines} lines`)),
    element("pre", { tabindex: "0" }, element("code", {}, text)));
}

/** Shows that there is no example of this name, and where its reactor may be. */
function showNone(name) {
  document.title = "Examples · reactord";
  part("title").textContent = `No example for ${name}`;
  part("about").replaceChildren(
    "The ", element("a", { href: "../inspector/" }, "inspector"), " lists all reactors, and sends actions to their sessions.");
  for (const link of part("examples").querySelectorAll("a")) link.removeAttribute("aria-current");
  for (const id of ["frames", "source"]) part(id).replaceChildren();
}

async function show() {
  if (examples.length === 0) {
    part("title").textContent = "No examples";
    part("about").textContent = "The examples belong to the reactors that ship with reactord. This service hosts none of them.";
    return;
  }
  const wanted = location.hash.slice(1);
  const example = wanted ? examples.find(({ name }) => name === wanted) : examples[0];
  if (!example) {
    showNone(wanted);
    return;
  }
  document.title = `${example.name} · Examples · reactord`;
  part("title").textContent = example.name;
  part("about").textContent = example.about;
  for (const link of part("examples").querySelectorAll("a")) {
    if (link.hash === `#${example.name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  part("frames").replaceChildren(...example.frames.map((src) =>
    element("iframe", { src, title: src })));
  const files = await Promise.all([`${example.name}.js`, `${example.name}.html`].map(file));
  if (document.title.startsWith(example.name)) part("source").replaceChildren(...files);
}

addEventListener("hashchange", () => {
  show();
  part("title").focus();
});
useToken();
start();
