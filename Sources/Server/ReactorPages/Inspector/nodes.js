// The nodes of a cluster, and the owner of the open session.

import { Problem, request } from "../reactor.js";
import { element, part } from "./elements.js";
import { content } from "./requests.js";

/** The text for one node. */
function facts({ state, version, sessions, isThis, differences }) {
  const count = sessions === null ? "does not reply"
    : `${sessions.toLocaleString("en")} ${sessions === 1 ? "session" : "sessions"}`;
  return [
    state, ...(version === null ? [] : [`version ${version}`]), count,
    ...(isThis ? ["this node"] : []), ...(differences.length > 0 ? [`differs in ${differences.join(", ")}`] : []),
  ].join(" · ");
}

/** A list item with a node that failed or left. */
function goneItem({ name, since }) {
  const time = element("time", { datetime: since, title: since }, new Date(since).toLocaleTimeString("en-GB"));
  return element("li", {}, element("strong", {}, name), " ", element("span", { class: "attention" }, "gone since ", time));
}

/** A list item with a node; one that is not ready or differs is marked. */
function item(node) {
  const isBad = node.state !== "ready" || node.version === null || node.differences.length > 0;
  return element(
    "li", {}, element("strong", {}, node.name), " ",
    element("span", isBad ? { class: "attention" } : {}, isBad ? `${facts(node)} (check)` : facts(node)));
}

/** Updates the section “Nodes”, which is hidden without a cluster and without the right to read it. */
export async function showNodes() {
  let [nodes, gone] = [[], []];
  try {
    ({ nodes, gone } = (await content(await request("v1/nodes"))).value);
  } catch (problem) {
    // The section “Health” shows the problem.
    if (!(problem instanceof Problem)) throw problem;
  }
  part["nodes-panel"].hidden = nodes.length === 0;
  part.nodes.replaceChildren(...nodes.map(item), ...gone.map(goneItem));
}

/** Shows the node that has the open session in memory; `undefined` hides it. */
export function showOwner(node) {
  part.owner.hidden = node === undefined;
  part.owner.textContent = node === undefined ? "" : `Owner: ${node}`;
}
