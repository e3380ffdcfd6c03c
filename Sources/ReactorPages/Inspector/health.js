// The health of the store, the streams and the limits, from the metrics of the service.

import { Problem, request } from "/reactor.js";
import { readable, samples } from "./charts.js";
import { describe, element, part } from "./elements.js";

/** The interval of updates, in milliseconds. */
const PERIOD = 2_000;

/** From this share of a limit on, a row is marked. */
const NEAR = 0.8;

const megabytes = (bytes) => `${readable(bytes / 1_048_576)} MB`;

/** The rows: a name, a text and whether it needs attention. `now` and `before` are two samples. */
function rows(now, before, seconds) {
  const total = (name) => now.get(name) ?? 0;
  const rate = (name) => Math.max(0, total(name) - (before?.get(name) ?? total(name))) / seconds;
  const commits = total("reactord_commit_duration_seconds_count");
  const failures = total("reactord_log_failures_total");
  const [files, fileLimit] = [total("process_open_fds"), total("process_max_fds")];
  const rejected = total("reactord_http_connections_refused_total");
  const quarantined = total("reactord_quarantined_actions");
  const commitTime = 1_000 * total("reactord_commit_duration_seconds_sum") / commits;
  return [
    ["Store", failures > 0 ? `${readable(failures)} writes failed since the start`
      : commits > 0 ? `no failed writes, ${readable(commitTime)} ms per commit` : "no writes yet",
    rate("reactord_log_failures_total") > 0],
    ["Actions", `${readable(rate("reactord_actions_total"))}/s, ${readable(total("reactord_mailbox_waiting"))} waiting`,
      false],
    ["Sessions", `${readable(total("reactord_sessions"))} in memory`, false],
    ["Streams", `${readable(total("reactord_streams"))} open, ${readable(total("reactord_subscribers"))} subscribers, `
      + `${readable(total("reactord_stream_conflations_total"))} events skipped by slow ones`, false],
    ["Effects", `${readable(total("reactord_effects_running"))} running, `
      + `${readable(total("reactord_effect_failures_total"))} failed`, rate("reactord_effect_failures_total") > 0],
    ["Connections", `${readable(total("reactord_http_connections"))} open, ${readable(rejected)} rejected`,
      rate("reactord_http_connections_refused_total") > 0],
    ["Files", fileLimit > 0 ? `${readable(files)} of ${readable(fileLimit)}` : readable(files),
      fileLimit > 0 && files > NEAR * fileLimit],
    ["Memory", megabytes(total("process_resident_memory_bytes")), false],
    ["Log", `${readable(now.get('reactord_log_lines_total{level="error"}') ?? 0)} errors, `
      + `${readable(now.get('reactord_log_lines_total{level="warning"}') ?? 0)} warnings`,
    rate('reactord_log_lines_total{level="error"}') > 0],
    ["Crashes", `${readable(total("reactord_crashes_total"))}, ${readable(quarantined)} actions quarantined`,
      quarantined > 0],
  ];
}

/** The quarantined actions, as rows; none without the right to read them. */
async function quarantine() {
  try {
    const response = await request("v1/quarantine");
    return (await response.json()).quarantine.map(({ reactor, session, action, signal }) => [
      "Quarantined", `${reactor}/${session}: ${action ?? "the session itself"} (${signal})`, false,
    ]);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return [];
  }
}

/** The section “Health”. */
export class Health {
  #before;
  #time = 0;
  #isActive = false;

  constructor() {
    setInterval(() => this.#update(), PERIOD);
  }

  /** Starts or stops the updates. */
  set isActive(isActive) {
    this.#isActive = isActive;
    this.#update();
  }

  async #update() {
    if (!this.#isActive || document.hidden) return;
    try {
      const response = await request("metrics", { headers: { Accept: "text/plain" } });
      const now = samples(await response.text());
      const time = performance.now();
      const crashed = now.get("reactord_quarantined_actions") > 0 ? await quarantine() : [];
      part.health.replaceChildren(
        ...[...rows(now, this.#before, (time - this.#time) / 1_000), ...crashed].flatMap(([name, text, isBad]) => [
          element("dt", {}, name),
          element("dd", isBad ? { class: "attention" } : {}, isBad ? `${text} (check)` : text),
        ]));
      part["health-problem"].replaceChildren();
      [this.#before, this.#time] = [now, time];
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      part.health.replaceChildren();
      part["health-problem"].replaceChildren(describe(problem));
      if (!problem.isPassing) this.#isActive = false;
    }
  }
}
