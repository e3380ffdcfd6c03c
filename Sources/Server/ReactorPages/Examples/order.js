import { on, reactor } from "../reactor.js";
import { flow } from "../flow.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const showProblem = (problem) => { part("problem").textContent = problem?.message ?? ""; };
const order = reactor("order", query.get("session") ?? "demo");
const screens = flow(order, { url: query.get("url") ?? "hash", failed: showProblem });

const page = (title, ...content) => {
  const [section, heading] = [document.createElement("section"), document.createElement("h2")];
  heading.textContent = title;
  section.append(heading, ...content);
  return section;
};
const button = (text, receiver, action) => {
  const element = document.createElement("button");
  element.textContent = text;
  on(element, "click").map(() => { showProblem(); return action; }).to(receiver, showProblem);
  return element;
};
const back = (screen) => {
  const element = button("Back", { send: () => screen.dismiss() });
  element.className = "back";
  return element;
};
const text = (screen, read) => {
  const element = document.createElement("p");
  screen.state.map(read).drive(element, "textContent");
  return element;
};

screens.show(part("screens"), {
  menu: (screen) => page(
    "Menu", ...screen.state.value.drinks.map((name) => button(name, screen, { choose: name })),
    button("Check out", order, "checkout")),
  drink: (screen) => page(
    screen.state.value.name, text(screen, ({ size }) => `A ${size} one`),
    button("Large", screen, { size: "large" }), button("Add", screen, "add"), back(screen)),
  tip: (screen) => page(
    "Tip", text(screen, ({ price, tip }) => `${price} and a tip of ${tip}`),
    button("Tip 2", screen, { tip: 2 }), button("Continue", screen, "proceed"), back(screen)),
  payment: (screen) => page(
    "Payment", text(screen, ({ amount, isPaying }) => isPaying ? "Paying…" : `${amount} to pay`),
    button("Pay", screen, "pay"), back(screen)),
});

order.state.map(({ drinks, receipt }) => receipt ? `Paid: ${receipt}`
  : drinks.map(({ name, size }) => `${name} (${size})`).join(", ") || "No drinks yet.")
  .drive(part("drinks"), "textContent");
