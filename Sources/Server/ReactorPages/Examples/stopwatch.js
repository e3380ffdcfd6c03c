import { indicator, on, reactor } from "../reactor.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const session = new URLSearchParams(location.search).get("session") ?? "demo";
const stopwatch = reactor("stopwatch", session);

// Action
on(part("toggle"), "click").map(() => (stopwatch.state.value.isRunning ? "stop" : "start"))
  .to(stopwatch);
on(part("reset"), "click").map(() => "reset").to(stopwatch);

// State
stopwatch.state.map(({ ticks }) => `${Math.floor(ticks / 60)}:${String(ticks % 60).padStart(2, "0")}`)
  .drive(part("ticks"), "textContent");
stopwatch.state.map(({ isRunning }) => (isRunning ? "Stop" : "Start")).distinct()
  .drive(part("toggle"), "textContent");
// The first State enables the button.
stopwatch.state.map(() => false).distinct().drive(part("toggle"), "disabled");
stopwatch.activity.drive(indicator(part("activity")));
stopwatch.connection.drive(part("connection"), "textContent");
