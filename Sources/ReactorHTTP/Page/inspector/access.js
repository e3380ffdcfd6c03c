// The token of a service that asks for one (`auth.tokens`), kept until the tab is closed.

import { configure } from "/reactor.js";
import { element, part } from "./elements.js";

const KEY = "reactord.token";

/** Has every request carry the token that was given in this tab, where one was. */
export function useToken() {
  const token = sessionStorage.getItem(KEY);
  part.forget.hidden = !token;
  configure({
    headers: token ? { Authorization: `Bearer ${token}` } : {},
    // Other tabs may have another one, and a connection has one.
    isShared: !token,
  });
}

/** A form that asks for a token, and does something when there is one. */
export function askForToken(proceed) {
  const input = element("input", {
    id: "token", type: "password", required: "", pattern: "[!-~]+", autocomplete: "off",
    title: "A token is printable ASCII without spaces.",
  });
  const form = element(
    "form", {},
    element("label", { for: "token" }, "Token"),
    element("div", { class: "send" }, input, element("button", {}, "Use it")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, input.value);
    useToken();
    proceed();
  });
  return form;
}

part.forget.addEventListener("click", () => {
  sessionStorage.removeItem(KEY);
  location.reload();
});
