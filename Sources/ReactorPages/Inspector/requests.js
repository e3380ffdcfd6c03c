// The requests of this page, each available as a curl command.

import { parse, request } from "/reactor.js";
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

/** Sends a request and parses the JSON of the response. */
export async function read(path) {
  const response = await send(path);
  return { value: parse(await response.text()), next: nextPage(response) };
}
