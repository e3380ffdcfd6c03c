// Commands for a terminal, with a button that copies each.

import { storedToken } from "../token.js";
import { addressOf, element } from "./elements.js";

/** Quotes a word for a shell, if it needs quotes. */
function word(text) {
  return /^[\w./:~%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The curl command that sends a request. It refers to the token by a variable of the shell. */
export function curl(path, { method = "GET", headers = {}, body } = {}) {
  const words = ["curl"];
  // For --json, a leading @ would name a file.
  const isFile = body?.startsWith("@");
  if (method !== (body === undefined ? "GET" : "POST")) words.push("-X", method);
  for (const [name, value] of Object.entries(headers)) {
    if (name !== "Content-Type" || isFile) words.push("-H", word(`${name}: ${value}`));
  }
  if (storedToken()) words.push("-H", '"Authorization: Bearer $REACTORD_TOKEN"');
  if (body !== undefined) words.push(isFile ? "--data-raw" : "--json", word(body));
  words.push(word(addressOf(path)));
  return words.join(" ");
}

/** The commands that follow, change and read a session. */
export function sessionCommands(address, action) {
  return [
    `${curl(`${address}/events`).replace("curl", "curl -N")}`,
    curl(`${address}/actions`, { method: "POST", body: action }),
    curl(`${address}/state`),
  ];
}

/** A list item with a command and a button that copies it. */
export function commandLine(command) {
  // Lines break after slashes only.
  const words = command.split(/(?<=[^/]\/)(?=[^/])/);
  const code = element("code", {}, ...words.flatMap((text) => [text, element("wbr")]));
  return element("li", {}, code, copyButton("Copy", () => command, code));
}

/** A button that copies a text, or selects an element with it if the browser forbids that. */
export function copyButton(label, text, code) {
  const button = element("button", { class: "quiet", type: "button" }, label);
  if (code) button.setAttribute("aria-label", `${label}: ${text()}`);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
    } catch {
      if (code) getSelection().selectAllChildren(code);
      button.textContent = code ? "Selected" : "Not permitted";
    }
    setTimeout(() => { button.textContent = label; }, 2_000);
  });
  return button;
}
