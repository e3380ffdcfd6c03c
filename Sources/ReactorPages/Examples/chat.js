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
  part("messages").replaceChildren(...messages.map(({ from, text, at }) => {
    const [item, name] = [document.createElement("li"), document.createElement("b")];
    name.textContent = from;
    item.append(name, text);
    item.classList.toggle("mine", from === part("name").value);
    item.classList.toggle("sending", at === "");
    return item;
  }));
  part("messages").scrollTop = part("messages").scrollHeight;
});
