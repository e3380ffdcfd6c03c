// The health of the store, the streams and the limits, from the metrics of the service.

import { Problem, request } from "../reactor.js";
import { readable, samples } from "./charts.js";
import { describe, element, part } from "./elements.js";
import { Errors } from "./errors.js";
import { showNodes } from "./nodes.js";
import { showOperations } from "./operations.js";
import { Refresh } from "./refresh.js";
import { content } from "./requests.js";

/** The interval of updates, in milliseconds. */
const PERIOD = 2_000;

/** The share of a limit above which a row is marked. */
const NEAR = 0.8;

const megabytes = (bytes) => `${readable(bytes / 1_048_576)} MB`;

/** The rows: a name, a text and whether it needs attention. `now` and `before` are two samples. */
function rows(now, before, seconds) {
  const total = (name) => now.get(name) ?? 0;
  const show = (name) => readable(total(name));
  const rate = (name) => Math.max(0, total(name) - (before?.get(name) ?? total(name))) / seconds;
  const limit = (kind) => total(`reactord_limit{of="${kind}"}`);
  const most = (kind) => (limit(kind) > 0 ? ` (at most ${readable(limit(kind))})` : "");
  const isNear = (name, kind) => limit(kind) > 0 && total(name) > NEAR * limit(kind);
  const commits = total("reactord_commit_duration_seconds_count");
  const failures = total("reactord_log_failures_total");
  const [files, fileLimit] = [total("process_open_fds"), total("process_max_fds")];
  const commitTime = 1_000 * total("reactord_commit_duration_seconds_sum") / commits;
  const lines = (level) => now.get(`reactord_log_lines_total{level="${level}"}`) ?? 0;
  return [
    ["Store", failures > 0 ? `${readable(failures)} writes failed since the start`
      : commits > 0 ? `no failed writes, ${readable(commitTime)} ms per commit` : "no writes yet",
    rate("reactord_log_failures_total") > 0],
    ["Actions", `${readable(rate("reactord_actions_total"))}/s, ${show("reactord_mailbox_waiting")} waiting`, false],
    ["Sessions", `${show("reactord_sessions")} in memory${most("sessions")}`, isNear("reactord_sessions", "sessions")],
    ["Streams", `${show("reactord_streams")} open, ${show("reactord_subscribers")} subscribers, `
      + `${show("reactord_stream_conflations_total")} events skipped by slow ones${most("streams")}`,
    isNear("reactord_streams", "streams")],
    ["Effects", `${show("reactord_effects_running")} running${most("effects")}, `
      + `${show("reactord_effect_failures_total")} failed`,
    rate("reactord_effect_failures_total") > 0 || isNear("reactord_effects_running", "effects")],
    ["Timers", `${show("reactord_timers_pending")} pending, ${show("reactord_timers_fired_total")} fired`, false],
    ["Connections", `${show("reactord_http_connections")} open${most("connections")}, `
      + `${show("reactord_http_connections_refused_total")} rejected`,
    rate("reactord_http_connections_refused_total") > 0 || isNear("reactord_http_connections", "connections")],
    ["Files", fileLimit > 0 ? `${readable(files)} of ${readable(fileLimit)}` : readable(files),
      fileLimit > 0 && files > NEAR * fileLimit],
    ["Memory", megabytes(total("process_resident_memory_bytes")), false],
    ["Log", `${readable(lines("error"))} errors, ${readable(lines("warning"))} warnings`,
      rate('reactord_log_lines_total{level="error"}') > 0],
    ["Crashes", `${show("reactord_crashes_total")}, ${show("reactord_quarantined_actions")} actions quarantined`,
      total("reactord_quarantined_actions") > 0],
  ];
}

/** The section “Health”, and what follows from the same sample of the metrics. */
export class Health {
  /** The hosted reactors, as the catalogue lists them. */
  reactors = [];
  #before;
  #time = 0;
  #isActive = false;
  #errors = new Errors();
  #updating = new Refresh(PERIOD / 4, () => this.#update());

  constructor() {
    setInterval(() => this.#updating.request(), PERIOD);
  }

  /** Starts or stops the updates. */
  set isActive(isActive) {
    this.#isActive = isActive;
    this.#updating.request();
  }

  async #update() {
    if (!this.#isActive || document.hidden) return;
    try {
      const response = await request("metrics", { headers: { Accept: "text/plain" } });
      const now = (await content(response, samples)).value;
      const time = performance.now();
      part.health.replaceChildren(
        ...rows(now, this.#before, (time - this.#time) / 1_000).flatMap(([name, text, isBad]) => [
          element("dt", {}, name),
          element("dd", isBad ? { class: "attention" } : {}, isBad ? `${text} (check)` : text),
        ]));
      part["health-problem"].replaceChildren();
      [this.#before, this.#time] = [now, time];
      await this.#errors.update(now);
      await showNodes();
      await showOperations(now, this.reactors);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      part.health.replaceChildren();
      part["health-problem"].replaceChildren(describe(problem));
      if (!problem.isPassing) this.#isActive = false;
    }
  }
}
