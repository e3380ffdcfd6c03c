import { on, reactor } from "../reactor.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const session = new URLSearchParams(location.search).get("session") ?? "demo";
const step = { increase: 1, decrease: -1 };

const counter = reactor("counter", session, {
  // Shown until the server has responded, and reverted if it rejects the action.
  reduce: (state, action) => ({ value: state.value + step[action] }),
});

// Action
on(part("increase"), "click").map(() => "increase").to(counter);
on(part("decrease"), "click").map(() => "decrease").to(counter);

// State
counter.state.map(({ value }) => value).distinct().drive(part("value"), "textContent");
counter.connection.drive(part("connection"), "textContent");
