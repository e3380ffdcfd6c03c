import { items, on, reactor } from "../reactor.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const chat = reactor("chat", query.get("session") ?? "demo");
const showProblem = (problem) => { part("problem").textContent = problem?.message ?? ""; };
const submitted = (form) => on(form, "submit").map((event) => { event.preventDefault(); showProblem(); });
const tag = (name, ...children) => { const made = document.createElement(name); made.append(...children); return made; };
part("name").value = query.get("name") ?? "";

// Action
submitted(part("join")).map(() => ({ join: part("name").value })).to(chat, showProblem);
submitted(part("send")).subscribe(() => {
  const message = { from: part("name").value, text: part("text").value };
  part("text").value = "";
  const optimistic = (state) =>
    ({ ...state, messages: [...state.messages, { ...message, at: "" }] });
  chat.send({ send: message }, { optimistic }).catch(showProblem);
});

// State
chat.state.map(({ members }) => members.join(", ") || "No members yet.").drive(part("members"), "textContent");
// Shown messages stay in the list, so that a screen reader reads only the new ones.
const showMessages = items(part("messages"), (messages) => messages, {
  key: ({ from, text }) => JSON.stringify([from, text]),
  make: ({ from, text }) => tag("li", tag("b", from), text),
  update(item, { from, at }) {
    item.className = [from === part("name").value && "mine", !at && "sending"].filter(Boolean).join(" ");
  },
});
chat.state.map(({ messages }) => messages).distinct().drive((messages) => {
  showMessages(messages);
  part("messages").scrollTop = part("messages").scrollHeight;
});
