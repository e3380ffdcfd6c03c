// Charts of the service's activity, from its metrics if they can be read, else from the States that
// this page receives.

import { request } from "../reactor.js";
import { element, part } from "./elements.js";
import { Refresh } from "./refresh.js";
import { content } from "./requests.js";

/** The interval of samples in milliseconds, and the number that a chart shows. */
const PERIOD = 1_000;
const SAMPLES = 60;

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 240;
const HEIGHT = 48;

/** A line over the last minute, with its latest value as text. */
class Chart {
  #values = [];
  #unit;
  #line = document.createElementNS(SVG, "polyline");
  #area = document.createElementNS(SVG, "polygon");
  #value = element("output", {}, "–");
  #peak = element("span", { class: "peak" });

  constructor(title, unit) {
    this.#unit = unit;
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("aria-hidden", "true");
    picture.append(this.#area, this.#line);
    this.element = element(
      "figure", { class: "chart" },
      element("figcaption", {}, element("span", {}, title), this.#value), picture, this.#peak);
  }

  add(value) {
    this.#values.push(value);
    if (this.#values.length > SAMPLES) this.#values.shift();
    const peak = Math.max(...this.#values, 0);
    const points = this.#values.map((one, index) => {
      const x = WIDTH - (this.#values.length - 1 - index) * (WIDTH / (SAMPLES - 1));
      const y = HEIGHT - 2 - (peak > 0 ? one / peak : 0) * (HEIGHT - 6);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    const start = points[0].split(",")[0];
    this.#line.setAttribute("points", points.join(" "));
    this.#area.setAttribute("points", `${start},${HEIGHT} ${points.join(" ")} ${WIDTH},${HEIGHT}`);
    this.#value.textContent = `${readable(value)}${this.#unit}`;
    this.#peak.textContent = `peak ${readable(peak)}${this.#unit}`;
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

/** The section “Charts”. */
export class Charts {
  #seen = { versions: undefined, states: 0 };
  #metrics;
  #hasMetrics = true;
  #charts = {};
  #reactor;
  #time = performance.now();
  #sampling = new Refresh(PERIOD / 4, () => this.#sample());

  constructor() {
    for (const [name, title, unit] of [
      ["actions", "Actions", "/s"], ["deliveries", "Deliveries", "/s"],
      ["subscribers", "Subscribers", ""], ["commit", "Commit", " ms"],
    ]) {
      this.#charts[name] = new Chart(title, unit);
    }
    part.charts.append(...Object.values(this.#charts).map((chart) => chart.element));
    setInterval(() => document.hidden || this.#sampling.request(), PERIOD);
  }

  open(reactor) {
    this.#reactor = reactor;
    this.#seen = { versions: reactor.confirmed ? reactor.version : undefined, states: 0 };
  }

  close() {
    this.#reactor = undefined;
  }

  /** Counts a received State. */
  count() {
    this.#seen.states += 1;
  }

  async #sample() {
    if (!this.#reactor) return;
    const now = performance.now();
    const seconds = (now - this.#time) / 1000;
    this.#time = now;
    let metrics;
    if (this.#hasMetrics) {
      try {
        const response = await request("metrics", { headers: { Accept: "text/plain" } });
        metrics = (await content(response, samples)).value;
      } catch (problem) {
        // Not permitted: count this session only.
        this.#hasMetrics = problem.isPassing;
      }
    }
    const rate = (name) => {
      const change = metrics.get(name) - this.#metrics.get(name);
      return Math.max(0, change || 0) / seconds;
    };
    part["charts-note"].textContent = metrics
      ? "All sessions of the host, each second." : "This session as this page sees it, each second.";
    if (metrics && this.#metrics) {
      this.#charts.actions.add(rate("reactord_actions_total"));
      this.#charts.deliveries.add(rate("reactord_stream_deliveries_total"));
      this.#charts.subscribers.add(metrics.get("reactord_subscribers") ?? 0);
      const commits = rate("reactord_commit_duration_seconds_count");
      this.#charts.commit.add(commits > 0 ? 1000 * rate("reactord_commit_duration_seconds_sum") / commits : 0);
    } else if (!metrics) {
      const version = this.#reactor?.confirmed ? this.#reactor.version : undefined;
      this.#charts.actions.add(Math.max(0, version - this.#seen.versions || 0) / seconds);
      this.#charts.deliveries.add(this.#seen.states / seconds);
      this.#seen = { versions: version, states: 0 };
    }
    this.#charts.subscribers.element.hidden = !metrics;
    this.#charts.commit.element.hidden = !metrics;
    this.#metrics = metrics;
  }
}
