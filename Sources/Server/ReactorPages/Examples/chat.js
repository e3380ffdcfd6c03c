import { on, reactor } from "/reactor.js";
import "./sign-in.js";

const part = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const chat = reactor("chat", query.get("session") ?? "demo");
const showProblem = (problem) => { part("problem").textContent = problem?.message ?? ""; };
const submitted = (form) => on(form, "submit").map((event) => { event.preventDefault(); showProblem(); });
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
chat.state.map(({ members }) => members.join(", ") || "No members yet.").distinct()
  .drive(part("members"), "textContent");
chat.state.map(({ messages }) => messages).distinct().drive((messages) => {
  const [list, texts] = [part("messages"), messages.map(({ from, text }) => from + text)];
  // Shown messages stay in the list, so that a screen reader reads only the new ones.
  while (list.firstChild && list.firstChild.textContent !== texts[0]) list.firstChild.remove();
  messages.forEach(({ from, text, at }, index) => {
    const item = list.children[index] ?? list.appendChild(document.createElement("li"));
    const name = Object.assign(document.createElement("b"), { textContent: from });
    if (item.textContent !== texts[index]) item.replaceChildren(name, text);
    item.className = [from === part("name").value && "mine", !at && "sending"].filter(Boolean).join(" ");
  });
  while (list.children.length > messages.length) list.lastChild.remove();
  list.scrollTop = list.scrollHeight;
});
