// Shows one example beside its source; a room for two is there twice.

const part = (id) => document.getElementById(id);

const examples = [
  {
    name: "counter", frames: ["counter.html"],
    about: "Actions from buttons, a State in an element. The number changes at once, and is taken back if the server refuses.",
  },
  {
    name: "profile", frames: ["profile.html"],
    about: "An effect that takes its time, an error that is told, and a value that all sessions share. A driver shows a fallback where there is none.",
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
    about: "An effect that goes on until it is stopped, whoever watches.",
  },
];

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

part("examples").append(...examples.map(({ name }) =>
  element("li", {}, element("a", { href: `#${name}` }, name))));

/** A file of the example, as text. */
async function file(name) {
  const response = await fetch(name);
  const text = (await response.text()).trimEnd();
  const lines = text.split("\n").length;
  return element(
    "section", { "aria-label": name },
    element("h3", {}, element("a", { href: name }, name), element("span", {}, ` ${lines} lines`)),
    element("pre", { tabindex: "0" }, element("code", {}, text)));
}

async function show() {
  const example = examples.find(({ name }) => `#${name}` === location.hash) ?? examples[0];
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
show();
