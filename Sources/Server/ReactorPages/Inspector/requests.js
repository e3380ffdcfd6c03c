// The requests of this page, each available as a curl command.

import { parse, Problem, request } from "../reactor.js";
import { commandLine, curl } from "./commands.js";
import { element, nextPage, part } from "./elements.js";

/** How many requests are listed. */
const LISTED = 20;

/** Sends a request and lists it; see `request` of /reactor.js. */
export async function send(path, options = {}) {
  const status = element("span", { class: "status" }, "…");
  const line = commandLine(curl(path, options));
  line.prepend(status);
  part.requests.prepend(line);
  while (part.requests.children.length > LISTED) part.requests.lastElementChild.remove();
  try {
    const response = await request(path, options);
    status.textContent = String(response.status);
    return response;
  } catch (problem) {
    status.textContent = String(problem.status || "–");
    throw problem;
  }
}

/** The value in the text of a response, and its number of characters; throws a `Problem` if it cannot be read. */
export async function content(response, decode = parse) {
  try {
    const text = await response.text();
    return { value: decode(text), length: text.length };
  } catch (error) {
    throw new Problem({ title: "The response cannot be read", detail: error.message });
  }
}

/** Sends a request and parses the JSON of the response. */
export async function read(path) {
  const response = await send(path);
  return { ...await content(response), next: nextPage(response) };
}
