// Charts of the activity of this node in the last hour, from the samples that the service keeps; without the right
// to read them, of the States that this page receives.

import { Problem, request } from "../reactor.js";
import { element, part } from "./elements.js";
import { Refresh } from "./refresh.js";
import { content } from "./requests.js";

/** The interval of the States that this page counts, in milliseconds, and how many intervals a chart shows. */
const PERIOD = 1_000;
const COUNTED = 60;

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 240;
const HEIGHT = 48;

/** The number of samples for which a chart has room at least: those of five minutes. */
const ROOM = 30;

/** A line over the time, with its latest value as text. */
class Chart {
  #unit;
  #line = document.createElementNS(SVG, "path");
  #area = document.createElementNS(SVG, "path");
  #value = element("output", {}, "–");
  #peak = element("span", { class: "peak" });

  constructor(title, unit) {
    this.#unit = unit;
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("aria-hidden", "true");
    this.#line.setAttribute("class", "line");
    this.#area.setAttribute("class", "area");
    picture.append(this.#area, this.#line);
    this.element = element(
      "figure", { class: "chart" },
      element("figcaption", {}, element("span", {}, title), this.#value), picture, this.#peak);
  }

  /** Shows values, the latest last, at the right of a chart that has room for `count`; `null` is a gap. */
  show(values, count) {
    const peak = Math.max(...values, 0);
    let [line, area, run] = ["", "", []];
    const finish = () => {
      if (run.length === 0) return;
      const points = run.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L");
      line += `M${points}${run.length === 1 ? "h0.5" : ""}`;
      area += `M${run[0][0].toFixed(1)},${HEIGHT}L${points}L${run.at(-1)[0].toFixed(1)},${HEIGHT}Z`;
      run = [];
    };
    values.forEach((value, index) => {
      if (value === null) return finish();
      const x = WIDTH - (values.length - 1 - index) * (WIDTH / (count - 1));
      run.push([x, HEIGHT - 2 - (peak > 0 ? value / peak : 0) * (HEIGHT - 6)]);
    });
    finish();
    this.#line.setAttribute("d", line);
    this.#area.setAttribute("d", area);
    const latest = values.at(-1);
    this.#value.textContent = latest == null ? "–" : `${readable(latest)}${this.#unit}`;
    this.#peak.textContent = values.length === 0 ? "" : `peak ${readable(peak)}${this.#unit}`;
  }
}

/** A number with few digits. */
export function readable(value) {
  if (value === 0) return "0";
  if (value < 10) return value.toLocaleString("en", { maximumSignificantDigits: 2 });
  return value.toLocaleString("en", { maximumFractionDigits: 0, notation: value >= 100_000 ? "compact" : "standard" });
}

/** The samples of a Prometheus text: each by its name with labels, and their sums by name. */
export function samples(text) {
  const totals = new Map();
  for (const line of text.split("\n")) {
    const [, name, labels, value] = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)/.exec(line) ?? [];
    if (!name) continue;
    totals.set(name, (totals.get(name) ?? 0) + Number(value));
    if (labels) totals.set(name + labels, Number(value));
  }
  return totals;
}

/** The changes between two values of a counter that follow each other, and `null` beside a missing one. */
function changes(values) {
  return values.slice(1).map((value, index) => {
    const before = values[index];
    return value === null || before === null ? null : Math.max(0, value - before);
  });
}

const MEMORY = "process_resident_memory_bytes";

/** The charts: a title, a unit, and the values from the series of `/v1/samples`. */
const CHARTS = [
  ["Actions", "/s", (of, seconds) => changes(of("reactord_actions_total")).map((one) => one && one / seconds)],
  ["Deliveries", "/s",
    (of, seconds) => changes(of("reactord_stream_deliveries_total")).map((one) => one && one / seconds)],
  ["Subscribers", "", (of) => of("reactord_subscribers")],
  ["Commit", " ms", (of) => {
    const counts = changes(of("reactord_commit_duration_seconds_count"));
    return changes(of("reactord_commit_duration_seconds_sum"))
      .map((sum, index) => sum && (counts[index] > 0 ? 1_000 * sum / counts[index] : 0));
  }],
  ["Sessions", "", (of) => of("reactord_sessions")],
  ["Effects", "", (of) => of("reactord_effects_running")],
  ["Errors", "", (of) => changes(of("reactord_effect_failures_total"))],
  ["Memory", " MB", (of) => of(MEMORY).map((one) => one && one / 1_048_576)],
];

/** The section “The last hour”. */
export class Charts {
  #charts = CHARTS.map(([title, unit]) => new Chart(title, unit));
  #reactor;
  /** The version at the last interval and the States since, and the rates that this page has counted. */
  #seen = { version: undefined, states: 0 };
  #rates = [[], []];
  #hasSamples = true;
  /** When the samples are requested next. */
  #next = 0;
  #updating = new Refresh(PERIOD / 4, () => this.#update());

  constructor() {
    part.charts.append(...this.#charts.map((chart) => chart.element));
    setInterval(() => document.hidden || this.#updating.request(), PERIOD);
    this.#updating.request();
  }

  /** Requests the samples again, with another credential. */
  restart() {
    this.#hasSamples = true;
    this.#next = 0;
    this.#updating.request();
  }

  open(reactor) {
    this.#reactor = reactor;
    this.#seen = { version: reactor.confirmed ? reactor.version : undefined, states: 0 };
    this.#rates = [[], []];
  }

  close() {
    this.#reactor = undefined;
  }

  /** Counts a received State. */
  count() {
    this.#seen.states += 1;
  }

  async #update() {
    if (this.#hasSamples && Date.now() < this.#next) return;
    try {
      if (this.#hasSamples) this.#show((await content(await request("v1/samples"))).value);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      // Not permitted: count this session only.
      this.#hasSamples = problem.isPassing;
      this.#next = Date.now() + 10 * PERIOD;
    }
    if (!this.#hasSamples) this.#showCounted();
    this.#charts.slice(2).forEach((chart) => { chart.element.hidden = !this.#hasSamples; });
    part["charts-panel"].hidden = !this.#hasSamples && !this.#reactor;
  }

  #show({ interval, latest, series }) {
    const of = (name) => series[name] ?? [];
    const taken = of(MEMORY).length;
    const count = Math.max(ROOM, taken);
    CHARTS.forEach(([, , values], index) => this.#charts[index].show(values(of, interval), count));
    const start = new Date(new Date(latest) - PERIOD * interval * (taken - 1));
    part["charts-note"].textContent =
      taken > 0 ? `This node, ${start.toLocaleTimeString("en-GB", { timeStyle: "short" })} to now.` : "";
    // The next sample is due `interval` after the latest one; the clocks may differ.
    const age = latest === null ? interval : (Date.now() - new Date(latest)) / 1_000;
    this.#next = Date.now() + PERIOD * Math.min(interval, Math.max(1, interval - age + 1));
  }

  #showCounted() {
    const version = this.#reactor?.confirmed ? this.#reactor.version : undefined;
    const counted = [Math.max(0, version - this.#seen.version || 0), this.#seen.states];
    this.#seen = { version, states: 0 };
    counted.forEach((count, index) => {
      this.#rates[index] = [...this.#rates[index], count].slice(-COUNTED);
      this.#charts[index].show(this.#rates[index], COUNTED);
    });
    part["charts-note"].textContent = "This session as this page sees it, each second.";
  }
}
