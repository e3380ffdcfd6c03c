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
  const optimistic = (state) => ({
    ...state, messages: [...state.messages, { ...message, at: "" }],
  });
  chat.send({ send: message }, { optimistic }).catch(showProblem);
});

// State
chat.state.map(({ members }) => members.join(", ") || "No members yet.").distinct()
  .drive(part("members"), "textContent");
chat.state.map(({ messages }) => messages).distinct().drive((messages) => {
  const list = part("messages");
  const isShown = (item, { from, text }) => item?.textContent === `${from}${text}`;
  // Shown messages stay in the list, so that a screen reader reads only the new ones.
  while (messages[0] && list.firstElementChild && !isShown(list.firstElementChild, messages[0])) {
    list.firstElementChild.remove();
  }
  for (const [index, message] of messages.entries()) {
    const shown = list.children[index];
    const item = isShown(shown, message) ? shown : itemOf(message);
    item.classList.toggle("mine", message.from === part("name").value);
    item.classList.toggle("sending", message.at === "");
    if (item === shown) continue;
    if (shown) shown.replaceWith(item);
    else list.append(item);
  }
  while (list.children.length > messages.length) list.lastElementChild.remove();
  list.scrollTop = list.scrollHeight;
});

function itemOf({ from, text }) {
  const [item, name] = [document.createElement("li"), document.createElement("b")];
  name.textContent = from;
  item.append(name, text);
  return item;
}
