import { on, reactor } from "/reactor.js";

const part = (id) => document.getElementById(id);
const session = new URLSearchParams(location.search).get("session") ?? "demo";
const step = { increase: 1, decrease: -1 };

const counter = reactor("counter", session, {
  // What is shown until the server has answered, and taken back if it refuses.
  reduce: (state, action) => ({ value: state.value + step[action] }),
});

// Action
on(part("increase"), "click").map(() => "increase").to(counter);
on(part("decrease"), "click").map(() => "decrease").to(counter);

// State
counter.state.map(({ value }) => value).distinct().drive(part("value"), "textContent");
counter.connection.drive(part("connection"), "textContent");
