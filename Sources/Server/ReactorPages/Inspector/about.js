// The header: the release, the store and the time since the start.

import { Problem, request } from "../reactor.js";
import { samples } from "./charts.js";
import { part } from "./elements.js";
import { content } from "./requests.js";

/** The interval of updates, in milliseconds. */
const PERIOD = 60_000;

/** A number of seconds, in the two largest units. */
function duration(seconds) {
  const [days, hours, minutes] = [seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60].map(Math.floor);
  if (days > 0) return `${days} d ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes} min` : minutes > 0 ? `${minutes} min` : `${Math.floor(seconds)} s`;
}

/** Updates the header, which says nothing without the right to read the metrics. */
export async function showAbout() {
  try {
    const response = await request("metrics", { headers: { Accept: "text/plain" } });
    // The clock of the browser may be wrong.
    const now = Date.parse(response.headers.get("Date") ?? "") || Date.now();
    const { value } = await content(response, samples);
    const info = [...value.keys()].find((name) => name.startsWith("reactord_info{")) ?? "";
    const of = (label) => new RegExp(`${label}="([^"]*)"`).exec(info)?.[1];
    const start = value.get("process_start_time_seconds");
    const facts = [of("version"), of("store"), start && `up ${duration(Math.max(0, now / 1_000 - start))}`];
    part.about.textContent = facts.filter(Boolean).join(" · ");
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (!problem.isPassing) part.about.textContent = "";
  }
}

setInterval(() => document.hidden || showAbout(), PERIOD);
